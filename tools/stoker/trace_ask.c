/* stoker trace ask: requests a trace of a live run's next steps. */
#include "command.h"
#include "format.h"
#include "json_out.h"
#include "signals.h"
#include "spread.h"
#include "text.h"

#include <stdio.h>
#include <stoker/filesystem.h>
#include <stoker/tracer.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

typedef struct values {
    int64_t steps, level;
    double  wait;
    bool    json;
} values;

static const values defaults = {.steps = 5, .level = 2, .wait = 600};

static const cli_option options[] = {
    {CLI_OPTION(values, steps, "steps", INTEGER, "N"), .letter = 'n', .least = 1,
     .most = STK_TRACER_STEPS_MAX, .group = "What to record",
     .help = "steps, from the next one on (default 5)"},
    {CLI_OPTION(values, level, "level", INTEGER, "N"), .least = 1, .most = 3,
     .group = "What to record",
     .help =
         "1: what each stage did when; 2 (default): and every operation; 3: and a GPU's kernels"},
    {CLI_OPTION(values, wait, "wait", NUMBER, "S"), .least = 1, .most = 1e6,
     .group = "What to record",
     .help = "give up after so many seconds (default 600); an evaluation holds steps up"},
    {CLI_OPTION(values, json, "json", FLAG, NULL), .group = "Common",
     .help = "print the result as JSON"},
};

enum { ID_CAPACITY = 33 };

/* A running run holds a lock on its folder. */
static stk_status is_running(const char *folder, bool *running, stk_error *err)
{
    char          path[STK_TRACER_PATH];
    stk_file_info info;
    stk_lock     *lock;
    snprintf(path, sizeof path, "%.1000s/recipe.yaml", folder);
    *running = false;
    if (stk_path_info(NULL, path, &info, err) == STK_E_NOTFOUND)
        return stk_fail(err, STK_E_NOTFOUND, "trace", folder,
                        "is no folder of a run: it has no recipe.yaml");
    const stk_status st = stk_path_lock(&lock, NULL, folder, err);
    *running = st == STK_E_BUSY || (!st && !lock); /* without locks it may be running */
    if (!st) stk_lock_release(lock);
    return *running ? STK_OK : st;
}

static int refuse(const cli_invocation *call)
{
    stk_error         err;
    const char *const folder = call->operands[0];
    stk_status        st = stk_fail(&err, STK_E_INVALID, "trace", folder,
                                    "this run is not going on, so it has no next steps");
    (void)st;
    return cli_report_error(call->command, &err,
                            "'stoker train --trace steps=20-24' records from the beginning");
}

static bool is_over(stk_tracer_state state)
{
    return state == STK_TRACER_DONE || state == STK_TRACER_FAILED;
}

/* Waits for the final reply to this request, or until none can come. */
static stk_status wait_for(const char *folder, const char *id, double seconds,
                           stk_tracer_answer *answer, stk_error *err)
{
    const struct timespec moment = {.tv_nsec = 100000000};
    const double          until = cli_seconds_now() + seconds;
    bool                  running = true;
    while (true) {
        const bool last = !running || cli_seconds_now() > until;
        if (!stk_tracer_read_reply(NULL, folder, id, answer, err) && is_over(answer->state))
            return STK_OK;
        if (stk_cancel_requested(cli_signals_token()))
            return stk_fail(err, STK_E_CANCELLED, "trace", folder, "nobody waits for it any more");
        if (last && !running)
            return stk_fail(err, STK_E_CANCELLED, "trace", folder,
                            "the run ended before its steps were recorded");
        if (last)
            return stk_fail(err, STK_E_LIMIT, "trace", folder,
                            "no trace after %.0f s; the run is going on (evaluating, perhaps): "
                            "--wait more, or look for trace-STEP.json.gz there later",
                            seconds);
        STK_TRY(is_running(folder, &running, err));
        nanosleep(&moment, NULL);
    }
}

static void make_id(char id[ID_CAPACITY])
{
    uint64_t bits[2] = {(uint64_t)(cli_seconds_now() * 1e9), 0};
    if (getrandom(bits, sizeof bits, 0) != (ssize_t)sizeof bits) bits[1] = (uint64_t)time(NULL);
    snprintf(id, ID_CAPACITY, "%016llx%016llx", (unsigned long long)bits[0],
             (unsigned long long)bits[1]);
}

static int print(const cli_invocation *call, const stk_tracer_answer *a)
{
    const values *v = call->values;
    char          events[CLI_FORMAT_CAPACITY];
    if (v->json) {
        cli_json_out out;
        cli_json_out_begin(&out);
        stk_json_object(&out.writer);
        stk_json_pair_string(&out.writer, "path", a->path);
        stk_json_pair_int(&out.writer, "first_step", a->first_step);
        stk_json_pair_int(&out.writer, "steps", a->request.steps);
        stk_json_pair_int(&out.writer, "level", a->request.level);
        stk_json_pair_uint(&out.writer, "events", a->events);
        stk_json_object_end(&out.writer);
        return cli_json_out_end(&out, call);
    }
    cli_print_exact(stk_bytes_text(a->path));
    printf("\n");
    fprintf(stderr, "%s events of %lld steps from step %lld on\n",
            cli_format_count(events, a->events), (long long)a->request.steps,
            (long long)a->first_step);
    fprintf(stderr, "next: stoker trace gaps ");
    cli_print_path(stderr, a->path);
    fprintf(stderr, "\n");
    return CLI_EXIT_OK;
}

static int run(const cli_invocation *call)
{
    const values            *v = call->values;
    const char *const        folder = call->operands[0];
    const stk_tracer_request request = {.steps = v->steps, .level = (stk_trace_level)v->level};
    stk_tracer_answer        answer = {0};
    stk_error                err;
    char                     id[ID_CAPACITY];
    bool                     running;
    if (is_running(folder, &running, &err)) return cli_report_error(call->command, &err, NULL);
    if (!running) return refuse(call);
    make_id(id);
    stk_status st = stk_tracer_write_request(NULL, folder, &request, id, &err);
    if (!st) st = wait_for(folder, id, v->wait, &answer, &err);
    stk_tracer_drop_request(NULL, folder, id);
    if (!st && answer.state == STK_TRACER_FAILED)
        st = stk_fail(&err, STK_E_INVALID, "trace", folder, "%s", answer.message);
    if (st == STK_E_CANCELLED && stk_cancel_requested(cli_signals_token()))
        return CLI_EXIT_CANCELLED;
    return st ? cli_report_error(call->command, &err, NULL) : print(call, &answer);
}

const cli_command cli_command_trace_ask = {
    .name = "trace ask",
    .summary = "have a run that is going on record its next steps",
    .operands = "RUN",
    .description =
        "Asks the run in the folder RUN, which is training now (on this machine or any that "
        "shares the folder), to record its next steps; waits for them, and prints the file: "
        "RUN/trace-STEP.json.gz. Nothing has to be prepared: every run of 'stoker train' can be "
        "asked. Its results do not change, and it is as fast as before afterwards.",
    .examples = "stoker trace ask runs/first\n"
                "stoker trace ask runs/first --steps 20 --level 1\n"
                "stoker trace gaps $(stoker trace ask runs/first)",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .defaults = &defaults,
    .value_bytes = sizeof defaults,
    .run = run,
};
