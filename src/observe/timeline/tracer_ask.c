/* Recording on request. Any thread may request; the training thread starts and stops recording
 * between steps; the writer's thread makes the file. */
#include "observe/timeline/tracer_files.h"
#include "observe/timeline/tracer_inside.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const state_names[] = {"idle",    "waiting", "recording",
                                          "writing", "done",    "failed"};

const char *stk_tracer_state_name(stk_tracer_state state)
{
    return state_names[state];
}

bool stk_tracer_is_under_way(stk_tracer_state state)
{
    return state == STK_TRACER_WAITING || state == STK_TRACER_RECORDING ||
           state == STK_TRACER_WRITING;
}

stk_status stk_tracer_ask_start(stk_tracer *t, stk_error *err)
{
    (void)err;
    pthread_mutex_init(&t->ask.lock, NULL);
    t->has_ask = true;
    t->ask.answer.first_step = -1;
    if (t->options.listen) stk_tracer_drop_all(t->options.fs, t->folder);
    return STK_OK;
}

void stk_tracer_ask_end(stk_tracer *t)
{
    if (t->has_ask) pthread_mutex_destroy(&t->ask.lock);
}

static stk_status check(const stk_tracer *t, const stk_tracer_request *request, stk_error *err)
{
    if (request->steps < 1 || request->steps > STK_TRACER_STEPS_MAX)
        return stk_fail(err, STK_E_INVALID, "trace", "steps",
                        "%lld steps; from 1 to %d can be asked for", (long long)request->steps,
                        STK_TRACER_STEPS_MAX);
    if (request->level < STK_TRACE_STAGES || request->level > STK_TRACE_KERNELS)
        return stk_fail(err, STK_E_INVALID, "trace", "level",
                        "there are 1 (stages), 2 (operations) and 3 (a device's kernels)");
    if (t->options.max_level && request->level > t->options.max_level)
        return stk_fail(err, STK_E_UNSUPPORTED, "trace", "level=3",
                        "is what a GPU tells of its kernels, and this run has none; level=2 has "
                        "every operation");
    return STK_OK;
}

/* id "": no reply file is needed. */
static stk_status ask(stk_tracer *t, const stk_tracer_request *request, const char *id,
                      stk_error *err)
{
    STK_TRY(check(t, request, err));
    pthread_mutex_lock(&t->ask.lock);
    const stk_tracer_state now = t->ask.answer.state;
    if (!stk_tracer_is_under_way(now)) {
        t->ask.answer =
            (stk_tracer_answer){.state = STK_TRACER_WAITING, .request = *request, .first_step = -1};
        snprintf(t->ask.id, sizeof t->ask.id, "%s", id);
        t->ask.reported = STK_TRACER_IDLE;
    }
    pthread_mutex_unlock(&t->ask.lock);
    if (!stk_tracer_is_under_way(now)) return STK_OK;
    return stk_fail(err, STK_E_BUSY, "trace", NULL,
                    "steps are being recorded already (%s); ask again when they are written",
                    stk_tracer_state_name(now));
}

stk_status stk_tracer_ask(stk_tracer *tracer, const stk_tracer_request *request, stk_error *err)
{
    return ask(tracer, request, "", err);
}

stk_tracer_answer stk_tracer_asked(stk_tracer *tracer)
{
    pthread_mutex_lock(&tracer->ask.lock);
    const stk_tracer_answer answer = tracer->ask.answer;
    pthread_mutex_unlock(&tracer->ask.lock);
    return answer;
}

static void fail(stk_tracer *t, const char *why)
{
    pthread_mutex_lock(&t->ask.lock);
    t->ask.answer.state = STK_TRACER_FAILED;
    snprintf(t->ask.answer.message, sizeof t->ask.answer.message, "%s", why);
    pthread_mutex_unlock(&t->ask.lock);
}

/* Call with the lock held. */
static void begin(stk_tracer *t, int64_t step)
{
    stk_tracer_answer *a = &t->ask.answer;
    a->state = STK_TRACER_RECORDING;
    a->first_step = step + 1;
    t->ask.last_step = step + a->request.steps;
    t->ask.since = stk_trace_now();
    snprintf(a->path, sizeof a->path, "%s/trace-%" PRId64 ".json.gz", t->folder, a->first_step);
}

/* Hands the recorded steps to the writer. */
static void hand_over(stk_tracer *t)
{
    stk_tracer_job *job = calloc(1, sizeof *job);
    if (job) {
        pthread_mutex_lock(&t->ask.lock);
        t->ask.answer.state = STK_TRACER_WRITING;
        job->asked = true;
        job->since = t->ask.since;
        snprintf(job->path, sizeof job->path, "%s", t->ask.answer.path);
        pthread_mutex_unlock(&t->ask.lock);
    }
    if (!job || !stk_ring_try_push(t->jobs, job)) {
        free(job);
        fail(t, job ? "the disk is too slow: other traces wait to be written" : "no memory");
    }
    stk_eventcount_signal(&t->gate);
}

stk_trace_level stk_tracer_ask_step(stk_tracer *t, int64_t step)
{
    stk_trace_level level = STK_TRACE_OFF;
    pthread_mutex_lock(&t->ask.lock);
    if (t->ask.answer.state == STK_TRACER_WAITING) begin(t, step);
    const bool recording = t->ask.answer.state == STK_TRACER_RECORDING;
    if (recording && step + 1 <= t->ask.last_step) level = t->ask.answer.request.level;
    const bool whole = recording && step > t->ask.last_step; /* its last event is recorded now */
    pthread_mutex_unlock(&t->ask.lock);
    if (whole) hand_over(t);
    return level;
}

void stk_tracer_ask_finish(stk_tracer *t)
{
    const stk_tracer_state now = stk_tracer_asked(t).state;
    if (now == STK_TRACER_WAITING) fail(t, "the run ended before its next step");
    if (now == STK_TRACER_RECORDING) hand_over(t);
}

void stk_tracer_ask_written(stk_tracer *t, const stk_trace_written *written, const stk_error *why)
{
    if (!written) {
        char line[256];
        snprintf(line, sizeof line, "%.100s: %.150s", why->where, why->message);
        fail(t, line);
        return;
    }
    pthread_mutex_lock(&t->ask.lock);
    t->ask.answer.state = STK_TRACER_DONE;
    t->ask.answer.events = written->events;
    const stk_tracer_answer answer = t->ask.answer;
    pthread_mutex_unlock(&t->ask.lock);
    stk_tracer_log(t, "trace: %s, %" PRIu64 " events, as was asked for", answer.path,
                   answer.events);
}

static void take_request(stk_tracer *t)
{
    stk_tracer_request request;
    char               id[STK_TRACER_ID];
    stk_error          err = {0};
    if (!stk_tracer_take_request(t->options.fs, t->folder, &request, id, &err)) return;
    stk_status st = err.status;
    if (!st) st = ask(t, &request, id, &err);
    if (!st) return;
    stk_tracer_answer refused = {.state = STK_TRACER_FAILED, .request = request, .first_step = -1};
    snprintf(refused.message, sizeof refused.message, "%.60s%s%.190s", err.where,
             *err.where ? ": " : "", err.message);
    stk_tracer_write_reply(t->options.fs, t->folder, id, &refused);
}

void stk_tracer_ask_reply(stk_tracer *t)
{
    pthread_mutex_lock(&t->ask.lock);
    const stk_tracer_answer answer = t->ask.answer;
    const bool              news = *t->ask.id && t->ask.reported != answer.state;
    char                    id[STK_TRACER_ID];
    memcpy(id, t->ask.id, sizeof id);
    t->ask.reported = answer.state;
    pthread_mutex_unlock(&t->ask.lock);
    if (news) stk_tracer_write_reply(t->options.fs, t->folder, id, &answer);
}

void stk_tracer_ask_listen(stk_tracer *t)
{
    if (!t->options.listen) return;
    take_request(t);
    stk_tracer_ask_reply(t);
}
