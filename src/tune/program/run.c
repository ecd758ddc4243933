/* A run: a loop around poll, on the caller's thread. */
#include "tune/program/run.h"

#include "base/clock.h"
#include "tune/program/child.h"
#include "tune/program/output.h"
#include "tune/program/run_files.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoker/filesystem.h>
#include <stoker/monitor.h>
#include <string.h>
#include <unistd.h>

enum { GUARDS = 5, SAMPLES = 256, CHUNKS_MAX = 512, LAST = 160, OUTPUT = 400 };

/* Cancel is looked at so often, and each number gets its time no later. */
static const double poll_s = 0.05;
/* After SIGKILL a process is gone at once, unless the kernel itself waits for a disk. */
static const double kill_s = 10;

typedef enum ending {
    RUNS,
    MEASURED,
    ENDED,  /* by itself */
    SILENT, /* no number for too long */
    STRANGE,
    CANCELLED,
    LOG_FAILED
} ending;

typedef struct running {
    const stk_tune_run_options *options;
    uint64_t                    begin_ns;
    stk_tune_run_files          files;
    stk_tune_command            command;
    stk_tune_child              child;
    stk_tune_output             output;
    stk_tune_family             family;
    stk_tune_rate_reader        rate;
    stk_monitor                *monitor;        /* NULL: it is not watched */
    double                      guards[GUARDS]; /* a ring */
    size_t                      guard_count;
    bool                        guard_strange;
    ending                      end;
    int                         code; /* exit code of ENDED; minus a signal */
} running;

static double seconds_since(uint64_t begin_ns)
{
    return (double)(stk_clock_ns() - begin_ns) * 1e-9;
}

static void take_line(void *context, const char *line)
{
    running *r = context;
    double   value;
    stk_tune_rate_reader_line(&r->rate, line, seconds_since(r->begin_ns));
    if (!r->options->guard || !stk_tune_pattern_find(r->options->guard, line, &value)) return;
    r->guard_strange = r->guard_strange || !isfinite(value);
    r->guards[r->guard_count++ % GUARDS] = value;
}

static bool is_silent(const running *r, double now)
{
    const double last = r->rate.window.last_s;
    return now - (last > 0 ? last : 0) > r->options->timeout_s;
}

static ending look(running *r)
{
    const double now = seconds_since(r->begin_ns);
    stk_tune_rate_reader_look(&r->rate, now);
    if (stk_cancel_requested(r->options->cancel)) return CANCELLED;
    if (r->output.log_error) return LOG_FAILED;
    if (r->rate.window.strange || r->guard_strange) return STRANGE;
    if (stk_tune_rate_window_done(&r->rate.window, now)) return MEASURED;
    if (stk_tune_child_ended(&r->child)) return ENDED;
    return is_silent(r, now) ? SILENT : RUNS;
}

/* What was printed before the end counts, although others may hold the pipes open. */
static void drain(running *r)
{
    for (int i = 0; i < CHUNKS_MAX && stk_tune_output_wait(&r->output, 0); i++) {
    }
}

static void measure(running *r)
{
    while ((r->end = look(r)) == RUNS)
        (void)stk_tune_output_wait(&r->output, poll_s);
    if (r->end != ENDED) return;
    drain(r);
    if (r->rate.window.strange || r->guard_strange) r->end = STRANGE;
}

/* Its output is read meanwhile: a program that says goodbye into a full pipe would never end. */
static bool wait_for_all(running *r, double seconds)
{
    const uint64_t begin = stk_clock_ns();
    for (;;) {
        stk_tune_family_update(&r->family);
        if (!r->family.count && stk_tune_child_ended(&r->child)) return true;
        const double left = seconds - seconds_since(begin);
        if (left <= 0) return false;
        (void)stk_tune_output_wait(&r->output, poll_s / 2);
    }
}

static void stop(running *r)
{
    stk_tune_family_update(&r->family);
    stk_tune_family_signal(&r->family, SIGTERM);
    if (!wait_for_all(r, r->options->grace_s)) {
        stk_tune_family_signal(&r->family, SIGKILL);
        (void)wait_for_all(r, kill_s);
    }
    if (stk_tune_child_ended(&r->child)) r->code = stk_tune_child_reap(&r->child);
}

/* The last line that it printed, and where the others are. */
static void describe_output(const running *r, char *text, size_t capacity)
{
    if (r->output.last[0])
        snprintf(text, capacity, "; its last line: %.*s (all of them: %s)", LAST, r->output.last,
                 (const char *)r->files.path.data);
    else
        snprintf(text, capacity, "; it printed nothing");
}

static stk_status fail_ended(const running *r, const char *output, stk_error *err)
{
    const char  *name = r->command.argv[0];
    const double seconds = seconds_since(r->begin_ns);
    if (r->code < 0)
        return stk_fail(err, STK_E_INVALID, "tune", name, "it was ended by signal %d (%s)%s%s",
                        -r->code, strsignal(-r->code),
                        -r->code == SIGKILL ? ", perhaps for want of memory" : "", output);
    if (r->code > 0)
        return stk_fail(err, STK_E_INVALID, "tune", name,
                        "it failed with exit code %d after %.1f s%s", r->code, seconds, output);
    return stk_fail(err, STK_E_INVALID, "tune", name,
                    "it ended by itself after %.1f s with %zu numbers for its rate, %zu of them "
                    "after the warm-up of %g s, where %d are needed; let it run longer, or give a "
                    "smaller --warm-up%s",
                    seconds, r->rate.window.numbers, r->rate.window.count, r->options->warm_up_s,
                    STK_TUNE_NUMBERS_MIN, output);
}

static stk_status fail_silent(const running *r, const char *output, stk_error *err)
{
    return stk_fail(err, STK_E_LIMIT, "tune", r->command.argv[0],
                    "%s number for its rate in %g s%s; look at --rate, or give a longer --timeout",
                    r->rate.window.numbers ? "no further" : "no", r->options->timeout_s, output);
}

/* After the end, when code is known. */
static stk_status judge(const running *r, stk_error *err)
{
    char        output[OUTPUT];
    const char *name = r->command.argv[0];
    const bool  usable = stk_tune_rate_window_usable(&r->rate.window);
    describe_output(r, output, sizeof output);
    if (r->end == CANCELLED) return stk_cancel_check(r->options->cancel, "tune", err);
    if (r->end == LOG_FAILED || r->output.log_error)
        return stk_fail_errno(err, r->output.log_error, "tune", (const char *)r->files.path.data,
                              "write its output to");
    if (r->end == STRANGE)
        return stk_fail(err, STK_E_FORMAT, "tune", name, "NaN in a trial%s", output);
    if (r->end == SILENT) return fail_silent(r, output, err);
    if (r->end == ENDED && (r->code || !usable)) return fail_ended(r, output, err);
    if (stk_tune_rate_source_is_told(r->options->rate) &&
        !(stk_tune_rate_window_rate(&r->rate.window) > 0))
        return stk_fail(err, STK_E_INVALID, "tune", name,
                        "its rate is %g: it stands still, or --rate finds another number%s",
                        stk_tune_rate_window_rate(&r->rate.window), output);
    return STK_OK;
}

static void fill_guard(stk_tune_run *out, const running *r)
{
    const size_t count = r->guard_count < GUARDS ? r->guard_count : GUARDS;
    double       sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += r->guards[i];
    out->has_guard = count > 0;
    out->guard = count ? sum / (double)count : 0;
}

/* Of the measured time alone: starting would hide what limits. */
static stk_status fill_usage(stk_tune_run *out, running *r, stk_error *err)
{
    const double         begin = r->rate.window.first_s + r->options->warm_up_s;
    stk_resource_sample *samples = calloc(SAMPLES, sizeof *samples);
    if (!samples) return stk_fail(err, STK_E_NOMEM, "tune", NULL, "no memory for samples");
    const size_t count = stk_monitor_series(r->monitor, samples, SAMPLES);
    size_t       first = 0;
    while (first < count && samples[first].seconds < begin)
        first++;
    stk_usage_analyze(&out->usage, stk_monitor_machine(r->monitor), samples + first, count - first,
                      NULL);
    free(samples);
    return STK_OK;
}

static stk_status start_monitor(running *r, stk_error *err)
{
    const double              every = r->options->measure_s / 20;
    const stk_monitor_options options = {.process = r->child.id,
                                         .interval_s = every < 0.05  ? 0.05
                                                       : every > 0.5 ? 0.5
                                                                     : every,
                                         .samples = SAMPLES};
    return r->options->is_watched ? stk_monitor_start(&r->monitor, &options, err) : STK_OK;
}

/* With the child running; ends it in any case. */
static stk_status run(stk_tune_run *out, running *r, stk_error *err)
{
    stk_status st = start_monitor(r, err);
    if (!st) measure(r);
    if (r->monitor) stk_monitor_stop(r->monitor);
    stop(r);
    if (!st) st = judge(r, err);
    if (!st && r->monitor) st = fill_usage(out, r, err);
    fill_guard(out, r);
    out->rate = stk_tune_rate_window_rate(&r->rate.window);
    out->seconds = stk_tune_rate_window_seconds(&r->rate.window);
    out->whole_s = seconds_since(r->begin_ns);
    stk_monitor_free(r->monitor);
    return st;
}

static stk_status write_config(const running *r, stk_error *err)
{
    if (!r->options->parts->config) return STK_OK;
    return stk_file_write_all(NULL, (const char *)r->files.config.data,
                              stk_blob_bytes(&r->command.config), err);
}

/* Starts the command; the log's descriptor becomes the output's. */
static stk_status start(running *r, const stk_tune_setting *setting, stk_error *err)
{
    const stk_tune_run_options *o = r->options;
    STK_TRY(stk_tune_command_fill(&r->command, o->parts, setting,
                                  (const char *)r->files.config.data, err));
    STK_TRY(write_config(r, err));
    STK_TRY(stk_tune_child_start(&r->child, r->command.argv, r->command.environment, err));
    r->begin_ns = stk_clock_ns();
    stk_tune_family_init(&r->family, r->child.id);
    stk_tune_rate_reader_begin(&r->rate, o->rate, &r->family, o->warm_up_s, o->measure_s);
    stk_tune_output_init(&r->output, r->child.outputs, r->files.log, take_line, r);
    return STK_OK;
}

static stk_status run_with_files(stk_tune_run *out, running *r, const stk_tune_setting *setting,
                                 stk_error *err)
{
    STK_TRY(stk_tune_run_files_open(&r->files, r->options->folder, r->options->parts->config_name,
                                    err));
    out->number = r->files.number;
    stk_status st = start(r, setting, err);
    if (st) {
        close(r->files.log);
    } else {
        st = run(out, r, err);
        stk_tune_output_close(&r->output);
    }
    stk_tune_command_release(&r->command);
    stk_tune_run_files_release(&r->files);
    return st;
}

stk_status stk_tune_run_measure(stk_tune_run *out, const stk_tune_run_options *options,
                                const stk_tune_setting *setting, stk_error *err)
{
    *out = (stk_tune_run){0};
    STK_TRY(stk_cancel_check(options->cancel, "tune", err));
    running *r = calloc(1, sizeof *r);
    if (!r) return stk_fail(err, STK_E_NOMEM, "tune", NULL, "no memory for a run");
    r->options = options;
    const stk_status st = run_with_files(out, r, setting, err);
    free(r);
    return st;
}
