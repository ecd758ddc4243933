/* Recording on request: the next steps and no others, one request at a time, by call and by file.
 */
#include "harness.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

static stk_tracer *begin(const char *folder, bool listen)
{
    const stk_tracer_plan plan = {
        .first_step = -1, .last_step = -1, .level = STK_TRACE_STAGES, .idle = true};
    const stk_tracer_options how = {.folder = folder, .listen = listen, .max_level = STK_TRACE_OPS};
    stk_tracer              *tracer;
    stk_error                err;
    EXPECT_OK(stk_path_make_directory(NULL, folder, &err));
    EXPECT_OK(stk_tracer_start(&tracer, &plan, &how, &err));
    return tracer;
}

/* Steps as a trainer does them: recorded where the level says so. */
static void train(stk_tracer *tracer, int64_t from, int64_t to)
{
    stk_trace        *trace = stk_tracer_trace(tracer);
    stk_trace_thread *thread = stk_trace_current(trace, "train");
    for (int64_t step = from; step <= to; step++) {
        const uint64_t now = stk_trace_now();
        if (stk_trace_at(trace, thread, STK_TRACE_STAGES)) stk_trace_record_step(thread, step, now);
        stk_tracer_step(tracer, step);
    }
}

static stk_tracer_answer wait_for(stk_tracer *tracer, stk_tracer_state state)
{
    for (int i = 0; i < 1000 && stk_tracer_asked(tracer).state != state; i++)
        sleep_ms(10);
    const stk_tracer_answer answer = stk_tracer_asked(tracer);
    EXPECT_STR_EQ(stk_tracer_state_name(state), stk_tracer_state_name(answer.state));
    return answer;
}

/* The steps in a file, as "3 4 ". */
static const char *steps_in(const char *path, char *text, size_t capacity)
{
    stk_timeline *timeline;
    stk_error     err;
    size_t        used = 0;
    EXPECT_OK(stk_timeline_read(&timeline, path, NULL, &err));
    text[0] = 0;
    for (size_t i = 0; i < stk_timeline_count(timeline); i++) {
        const stk_timeline_event *event = stk_timeline_at(timeline, i);
        if (event->kind == STK_TIMELINE_STEP)
            used += (size_t)snprintf(text + used, capacity - used, "%.0f ", event->value);
    }
    stk_timeline_free(timeline);
    return text;
}

STK_TEST(the_next_steps_are_recorded_when_somebody_asks)
{
    char        steps[64], expected[512];
    stk_error   err;
    const char *folder = stk_test_path("asked");
    stk_tracer *tracer = begin(folder, false);
    EXPECT_INT_EQ(STK_TRACER_IDLE, stk_tracer_asked(tracer).state);
    train(tracer, 0, 9);
    EXPECT_OK(stk_tracer_ask(tracer, &(stk_tracer_request){3, STK_TRACE_STAGES}, &err));
    EXPECT_STATUS(STK_E_BUSY,
                  stk_tracer_ask(tracer, &(stk_tracer_request){3, STK_TRACE_OPS}, &err));
    EXPECT_CONTAINS("waiting", err.message);
    train(tracer, 10, 12);
    EXPECT_INT_EQ(STK_TRACER_RECORDING, stk_tracer_asked(tracer).state);
    train(tracer, 13, 20);
    stk_tracer_answer answer = wait_for(tracer, STK_TRACER_DONE);
    snprintf(expected, sizeof expected, "%s/trace-11.json.gz", folder);
    EXPECT_STR_EQ(expected, answer.path);
    EXPECT_INT_EQ(11, answer.first_step);
    EXPECT_STR_EQ("11 12 13 ", steps_in(answer.path, steps, sizeof steps));
    EXPECT_INT_EQ(STK_TRACE_OFF, stk_trace_get_level(stk_tracer_trace(tracer)));
    EXPECT_OK(stk_tracer_ask(tracer, &(stk_tracer_request){1, STK_TRACE_OPS}, &err)); /* again */
    train(tracer, 21, 25);
    answer = wait_for(tracer, STK_TRACER_DONE);
    EXPECT_STR_EQ("22 ", steps_in(answer.path, steps, sizeof steps));
    EXPECT_OK(stk_tracer_finish(tracer, &err));
    stk_tracer_free(tracer);
}

STK_TEST(what_cannot_be_recorded_is_refused)
{
    stk_error   err;
    stk_tracer *tracer = begin(stk_test_path("refused"), false);
    EXPECT_STATUS(STK_E_INVALID,
                  stk_tracer_ask(tracer, &(stk_tracer_request){0, STK_TRACE_OPS}, &err));
    EXPECT_STATUS(STK_E_INVALID,
                  stk_tracer_ask(tracer, &(stk_tracer_request){1001, STK_TRACE_OPS}, &err));
    EXPECT_CONTAINS("1001 steps; from 1 to 1000", err.message);
    EXPECT_STATUS(STK_E_INVALID,
                  stk_tracer_ask(tracer, &(stk_tracer_request){5, STK_TRACE_OFF}, &err));
    EXPECT_STATUS(STK_E_UNSUPPORTED,
                  stk_tracer_ask(tracer, &(stk_tracer_request){5, STK_TRACE_KERNELS}, &err));
    EXPECT_CONTAINS("level=2", err.message);
    EXPECT_INT_EQ(STK_TRACER_IDLE, stk_tracer_asked(tracer).state);
    EXPECT_OK(stk_tracer_finish(tracer, &err));
    stk_tracer_free(tracer);
}

STK_TEST(a_run_that_ends_writes_what_it_has_or_says_why_not)
{
    char        steps[64];
    stk_error   err;
    stk_tracer *tracer = begin(stk_test_path("ended"), false);
    train(tracer, 0, 3);
    EXPECT_OK(stk_tracer_ask(tracer, &(stk_tracer_request){100, STK_TRACE_STAGES}, &err));
    train(tracer, 4, 6);
    EXPECT_OK(stk_tracer_finish(tracer, &err));
    const stk_tracer_answer answer = stk_tracer_asked(tracer);
    EXPECT_INT_EQ(STK_TRACER_DONE, answer.state);
    EXPECT_STR_EQ("5 6 ", steps_in(answer.path, steps, sizeof steps));
    stk_tracer_free(tracer);
    tracer = begin(stk_test_path("never"), false);
    EXPECT_OK(stk_tracer_ask(tracer, &(stk_tracer_request){5, STK_TRACE_STAGES}, &err));
    EXPECT_OK(stk_tracer_finish(tracer, &err));
    EXPECT_INT_EQ(STK_TRACER_FAILED, stk_tracer_asked(tracer).state);
    EXPECT_CONTAINS("ended", stk_tracer_asked(tracer).message);
    stk_tracer_free(tracer);
}

/* A step every so often until there is a last reply. */
static stk_tracer_answer answered(stk_tracer *tracer, const char *folder, const char *id,
                                  int64_t *step)
{
    stk_tracer_answer answer = {0};
    stk_error         err;
    for (int i = 0; i < 2000; i++) {
        train(tracer, *step, *step);
        ++*step;
        if (!stk_tracer_read_reply(NULL, folder, id, &answer, &err) &&
            (answer.state == STK_TRACER_DONE || answer.state == STK_TRACER_FAILED))
            return answer;
        sleep_ms(5);
    }
    EXPECT(!"no reply");
    return answer;
}

STK_TEST(another_process_asks_by_a_file)
{
    stk_tracer_answer answer;
    stk_error         err;
    int64_t           step = 0;
    const char       *folder = stk_test_path("listens");
    EXPECT_OK(stk_path_make_directory(NULL, folder, &err));
    EXPECT_OK(stk_tracer_write_request(NULL, folder, &(stk_tracer_request){5, STK_TRACE_STAGES},
                                       "stale", &err));
    stk_tracer *tracer = begin(folder, true); /* what is left of an earlier start is dropped */
    EXPECT_OK(stk_tracer_write_request(NULL, folder, &(stk_tracer_request){2, STK_TRACE_STAGES},
                                       "one", &err));
    EXPECT_STATUS(STK_E_NOTFOUND, stk_tracer_read_reply(NULL, folder, "one", &answer, &err));
    answer = answered(tracer, folder, "one", &step);
    EXPECT_INT_EQ(STK_TRACER_DONE, answer.state);
    EXPECT_INT_EQ(2, answer.request.steps);
    EXPECT(answer.events >= 2 && answer.first_step > 0);
    EXPECT_CONTAINS("/trace-", answer.path);
    stk_tracer_drop_request(NULL, folder, "one");
    EXPECT_STATUS(STK_E_NOTFOUND, stk_tracer_read_reply(NULL, folder, "one", &answer, &err));
    /* Two at once: one is served, the other is told to come again. */
    EXPECT_OK(stk_tracer_ask(tracer, &(stk_tracer_request){1000, STK_TRACE_STAGES}, &err));
    EXPECT_OK(stk_tracer_write_request(NULL, folder, &(stk_tracer_request){2, STK_TRACE_STAGES},
                                       "two", &err));
    train(tracer, step, step);
    step++;
    answer = answered(tracer, folder, "two", &step);
    EXPECT_INT_EQ(STK_TRACER_FAILED, answer.state);
    EXPECT_CONTAINS("already", answer.message);
    EXPECT_STATUS(STK_E_NOTFOUND, stk_tracer_read_reply(NULL, folder, "stale", &answer, &err));
    EXPECT_OK(stk_tracer_finish(tracer, &err));
    stk_tracer_free(tracer);
}

STK_TEST(a_request_that_is_no_json_is_refused)
{
    stk_error   err;
    char        path[600];
    int64_t     step = 0;
    const char *folder = stk_test_path("broken");
    stk_tracer *tracer = begin(folder, true);
    snprintf(path, sizeof path, "%s/trace-request-bad.json", folder);
    stk_test_write_file(path, "{", 1);
    const stk_tracer_answer answer = answered(tracer, folder, "bad", &step);
    EXPECT_INT_EQ(STK_TRACER_FAILED, answer.state);
    EXPECT(*answer.message);
    EXPECT_OK(stk_tracer_finish(tracer, &err));
    stk_tracer_free(tracer);
}
