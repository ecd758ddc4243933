/* Runs of programs: what is measured, what is said of those that fail, and that nothing is left. */
#include "harness.h"
#include "tune/program/run.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Times are short: what is tested are decisions, not rates. */
static const double warm_up_s = 0.02, measure_s = 0.06, long_s = 60, grace_s = 10;

typedef struct setup {
    const char          *script, *rate, *guard, *config;
    double               warm_up_s, measure_s, timeout_s, grace_s;
    bool                 is_watched, is_cold; /* cold: every number counts, whenever it is read */
    const stk_cancel    *cancel;
    char *const         *argv; /* instead of a script */
    stk_tune_rate_source source;
    stk_tune_pattern     pattern;
} setup;

static double or_default(double value, double usual)
{
    return value > 0 ? value : usual;
}

static stk_status run_with(stk_tune_run *out, setup *s, stk_tune_knobs *knobs, stk_error *err)
{
    const stk_tune_setting       start = {0};
    char                        *argv[] = {"/bin/sh", "-c", (char *)s->script, NULL};
    const stk_tune_command_parts parts = {.argv = s->argv ? s->argv : argv,
                                          .config = s->config,
                                          .config_name = s->config ? "a/b.yaml" : NULL,
                                          .knobs = knobs};
    const stk_tune_run_options   options = {.parts = &parts,
                                            .rate = &s->source,
                                            .guard = s->guard ? &s->pattern : NULL,
                                            .folder = stk_test_folder(),
                                            .warm_up_s =
                                              s->is_cold ? 0 : or_default(s->warm_up_s, warm_up_s),
                                            .measure_s = or_default(s->measure_s, measure_s),
                                            .timeout_s = or_default(s->timeout_s, long_s),
                                            .grace_s = or_default(s->grace_s, grace_s),
                                            .is_watched = s->is_watched,
                                            .cancel = s->cancel};
    if (s->guard) STK_TRY(stk_tune_pattern_init(&s->pattern, s->guard, "--guard", err));
    return stk_tune_run_measure(out, &options, &start, err);
}

static stk_status run(stk_tune_run *out, setup *s, stk_error *err)
{
    const char *const knob = "speed=7,8";
    stk_tune_knobs    knobs;
    stk_status        st = stk_tune_knobs_parse(&knobs, &knob, s->config ? 1 : 0, err);
    s->source = (stk_tune_rate_source){0};
    if (!st) st = stk_tune_rate_source_init(&s->source, s->rate ? s->rate : "rate ([^ ]+)", err);
    if (!st) st = run_with(out, s, &knobs, err);
    stk_tune_pattern_release(&s->pattern);
    stk_tune_rate_source_release(&s->source);
    stk_tune_knobs_release(&knobs);
    return st;
}

static stk_tune_run expect_run(setup s)
{
    stk_tune_run out;
    stk_error    err;
    EXPECT_OK(run(&out, &s, &err));
    return out;
}

static stk_error expect_failure(stk_status status, setup s)
{
    stk_tune_run out;
    stk_error    err;
    EXPECT_STATUS(status, run(&out, &s, &err));
    EXPECT_STR_EQ("tune", err.component);
    return err;
}

static int number_in(const char *name)
{
    const stk_bytes bytes = stk_test_read_file(stk_test_path(name));
    char            text[32] = "";
    memcpy(text, bytes.data, bytes.size < 31 ? bytes.size : 31);
    return atoi(text);
}

/* A zombie is gone as far as we can do it: whoever inherits it has to wait for it. */
static bool is_gone(int id)
{
    char path[64], state = 'Z';
    snprintf(path, sizeof path, "/proc/%d/stat", id);
    FILE *file = fopen(path, "r");
    if (!file) return true;
    const bool read = fscanf(file, "%*d (%*[^)]) %c", &state) == 1;
    fclose(file);
    return !read || state == 'Z' || state == 'X';
}

static void expect_gone(const char *name)
{
    const int id = number_in(name);
    EXPECT(id > 1);
    EXPECT(is_gone(id));
}

/* Scripts know where they may write. */
static void enter_folder(void)
{
    EXPECT(!setenv("T", stk_test_folder(), 1));
}

STK_TEST(the_rate_is_the_mean_of_what_a_program_prints_after_its_warm_up)
{
    enter_folder();
    const stk_tune_run out = expect_run((setup){
        .script = "echo rate 1; sleep 0.1; while :; do echo rate 30, rate 50; sleep 0.01; done"});
    EXPECT(out.rate == 50);
    EXPECT(out.seconds > 0 && out.whole_s > out.seconds);
    EXPECT(out.usage.samples == 0 && !out.has_guard);
}

STK_TEST(the_rate_may_come_through_standard_error_and_carriage_returns)
{
    const stk_tune_run out =
        expect_run((setup){.script = "while :; do printf 'rate 1,200.5\\r' >&2; sleep 0.01; done"});
    EXPECT(out.rate == 1200.5);
}

STK_TEST(a_count_is_measured_by_our_clock)
{
    const stk_tune_run out =
        expect_run((setup){.script = "i=0; while :; do echo step $i; i=$((i+10)); sleep 0.01; done",
                           .rate = "count:step ([0-9]+)"});
    EXPECT(out.rate > 0 && out.rate < 1e9);
}

STK_TEST(a_file_is_read_whenever_it_changes)
{
    stk_test_write_file(stk_test_path("rate.txt"), "999\n", 4);
    char rate[512];
    snprintf(rate, sizeof rate, "file:%s", stk_test_path("rate.txt"));
    const stk_tune_run out =
        expect_run((setup){.script = "while :; do sleep 0.02; echo $i step: 4, rate=21 > $T/r; mv "
                                     "$T/r $T/rate.txt; done",
                           .rate = rate});
    EXPECT(out.rate == 21);
}

STK_TEST(a_silent_program_is_measured_by_what_it_reads)
{
    const stk_tune_run out =
        expect_run((setup){.script = "while :; do head -c 300000 /dev/zero > /dev/null; done",
                           .rate = "watch",
                           .measure_s = 0.2});
    EXPECT(out.rate > 300000);
}

STK_TEST(a_run_may_be_watched_for_what_limits_it)
{
    const stk_tune_run out =
        expect_run((setup){.script = "while :; do echo rate 5; sleep 0.01; done",
                           .is_watched = true,
                           .measure_s = 0.3});
    EXPECT(out.usage.samples > 0);
    EXPECT(out.usage.verdict[0]);
}

STK_TEST(the_last_numbers_of_the_guard_are_kept)
{
    const stk_tune_run out = expect_run(
        (setup){.script = "for i in 99 0.1 0.2 0.3 0.4 0.6; do echo loss $i; done; while :; do "
                          "echo rate 5; sleep 0.01; done",
                .guard = "loss ([0-9.]+)"});
    EXPECT(out.has_guard);
    EXPECT(out.guard > 0.3199 && out.guard < 0.3201);
}

STK_TEST(the_template_is_filled_into_a_file_of_the_run)
{
    char *const argv[] = {"/bin/sh", "-c", "while :; do cat $0; sleep 0.01; done", "{config}",
                          NULL};
    const stk_tune_run out = expect_run((setup){.argv = argv, .config = "rate {speed}\n"});
    char               name[64];
    EXPECT(out.rate == 7);
    snprintf(name, sizeof name, "%d-b.yaml", out.number);
    EXPECT_INT_EQ(7, stk_test_read_file(stk_test_path(name)).size);
}

STK_TEST(a_program_that_ends_is_used_if_it_said_enough)
{
    const stk_tune_run out =
        expect_run((setup){.script = "for i in 38 40 42; do echo rate $i; done", .is_cold = true});
    EXPECT(out.rate == 40);
    const stk_error err = expect_failure(
        STK_E_INVALID, (setup){.script = "echo rate 1; echo rate 2; echo done", .warm_up_s = 30});
    EXPECT_CONTAINS("2 numbers for its rate, 0 of them after the warm-up of 30 s", err.message);
    EXPECT_CONTAINS("smaller --warm-up", err.message);
    EXPECT_CONTAINS("its last line: done", err.message);
}

STK_TEST(a_program_that_fails_is_named_with_its_last_line)
{
    stk_error err = expect_failure(
        STK_E_INVALID, (setup){.script = "for i in 1 2 3 4 5; do echo rate 5; sleep 0.03; done; "
                                         "echo '  ' ; echo no memory left >&2; exit 3",
                               .measure_s = 50});
    EXPECT_STR_EQ("/bin/sh", err.where);
    EXPECT_CONTAINS("exit code 3", err.message);
    EXPECT_CONTAINS(".log", err.message);
    err = expect_failure(STK_E_INVALID, (setup){.script = "echo bye; kill -9 $$"});
    EXPECT_CONTAINS("signal 9 (Killed), perhaps for want of memory", err.message);
}

STK_TEST(a_program_that_cannot_be_started_is_told_why)
{
    char *const     none[] = {"/nowhere/train", NULL};
    const stk_error err = expect_failure(STK_E_NOTFOUND, (setup){.argv = none});
    EXPECT_STR_EQ("/nowhere/train", err.where);
    stk_test_write_file(stk_test_path("plain"), "text", 4);
    char *const plain[] = {(char *)stk_test_path("plain"), NULL};
    (void)expect_failure(STK_E_PERMISSION, (setup){.argv = plain});
}

STK_TEST(a_program_that_hangs_is_ended_with_all_it_started)
{
    stk_error err = expect_failure(
        STK_E_LIMIT, (setup){.script = "echo $$ > $T/hangs; echo waiting for data; sleep 600",
                             .timeout_s = 0.7});
    EXPECT_CONTAINS("no number for its rate in 0.7 s; its last line: waiting for data",
                    err.message);
    expect_gone("hangs");
    err = expect_failure(STK_E_LIMIT, (setup){.script = "sleep 600", .timeout_s = 0.1});
    EXPECT_CONTAINS("it printed nothing", err.message);
}

STK_TEST(a_program_that_ignores_sigterm_is_killed)
{
    const stk_tune_run out =
        expect_run((setup){.script = "trap '' TERM; echo $$ > $T/deaf; while :; do echo rate 5; "
                                     "sleep 0.01; done",
                           .grace_s = 0.1});
    EXPECT(out.rate == 5);
    expect_gone("deaf");
}

STK_TEST(grandchildren_that_hold_the_pipe_are_ended_too)
{
    expect_run(
        (setup){.script = "sleep 600 & echo $! > $T/held; for i in 1 2 3; do echo rate 2; done",
                .is_cold = true});
    expect_gone("held");
}

/* Its parent waits until it has begun. */
STK_TEST(processes_in_sessions_of_their_own_are_ended_too)
{
    expect_run((setup){.script = "setsid sh -c 'echo $$ > $T/s; mv $T/s $T/session; sleep 600' & "
                                 "while [ ! -e $T/session ]; do sleep 0.01; done; while :; do echo "
                                 "rate 2; sleep 0.01; done"});
    expect_gone("session");
}

STK_TEST(numbers_that_are_none_fail_a_run)
{
    stk_error err =
        expect_failure(STK_E_FORMAT, (setup){.script = "echo rate 5; echo rate NaN; sleep 600"});
    EXPECT_CONTAINS("NaN in a trial", err.message);
    err = expect_failure(STK_E_FORMAT, (setup){.script = "echo rate 5; echo loss -inf; sleep 600",
                                               .guard = "loss ([^ ]+)"});
    EXPECT_CONTAINS("its last line: loss -inf", err.message);
    err = expect_failure(STK_E_INVALID,
                         (setup){.script = "while :; do echo rate 0; sleep 0.01; done"});
    EXPECT_CONTAINS("its rate is 0", err.message);
}

static void *cancel_soon(void *context)
{
    for (int i = 0; i < 1000 && access(stk_test_path("cancelled"), R_OK); i++)
        usleep(10000);
    stk_cancel_request(context);
    return NULL;
}

STK_TEST(a_run_that_is_cancelled_leaves_nothing)
{
    stk_cancel cancel = STK_CANCEL_INIT;
    pthread_t  thread;
    EXPECT(!pthread_create(&thread, NULL, cancel_soon, &cancel));
    stk_error err = expect_failure(
        STK_E_CANCELLED,
        (setup){.script = "echo $$ > $T/c; mv $T/c $T/cancelled; sleep 600 & sleep 600",
                .cancel = &cancel});
    pthread_join(thread, NULL);
    expect_gone("cancelled");
    err = expect_failure(STK_E_CANCELLED, (setup){.script = "echo rate 5", .cancel = &cancel});
    EXPECT_CONTAINS("stopped on request", err.message);
}

STK_TEST(the_log_of_a_run_is_cut_at_some_megabytes)
{
    stk_tune_run out;
    stk_error    err;
    char         name[64];
    setup        s = {.script = "head -c 6000000 /dev/zero | tr '\\0' a; echo; for i in 1 2 3; do "
                                       "echo rate 5; done",
                      .is_cold = true};
    EXPECT_OK(run(&out, &s, &err));
    snprintf(name, sizeof name, "%d.log", out.number);
    const stk_bytes log = stk_test_read_file(stk_test_path(name));
    EXPECT(log.size > 4 << 20 && log.size < (4 << 20) + 100);
}

static stk_status run_quickly(void *context, stk_error *err)
{
    stk_tune_run out;
    setup        s = {.script = "for i in 1 2 3; do echo rate 5; done", .is_cold = true};
    (void)context;
    return run(&out, &s, err);
}

STK_TEST(each_failing_allocation_of_a_run_is_told)
{
    stk_test_fail_each_allocation(run_quickly, NULL);
}

STK_TEST(ways_to_know_the_rate_that_cannot_be_are_refused)
{
    static const char *const cases[][2] = {{"rate ([0-9]+", "no regular expression"},
                                           {"rate", "0 groups; it needs one"},
                                           {"count:(a)(b)", "2 groups"},
                                           {"rate (\\d+)", "write [0-9]"},
                                           {"file:", "needs a path"}};
    stk_tune_rate_source     source;
    stk_error                err;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        EXPECT_STATUS(STK_E_INVALID, stk_tune_rate_source_init(&source, cases[i][0], &err));
        EXPECT_CONTAINS(cases[i][1], err.message);
        EXPECT_STR_EQ("--rate", err.where);
    }
}

STK_TEST(the_unit_is_guessed_from_the_words_of_the_pattern)
{
    static const char *const cases[][2] = {{"watch", "bytes"},
                                           {"count:step ([0-9]+)", "steps"},
                                           {"step .* ([0-9.]+) img/s", "samples"},
                                           {"([0-9.]+) tok/s", "tokens"},
                                           {"file:rates/step", "samples"}};
    stk_tune_rate_source     source;
    stk_error                err;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        EXPECT_OK(stk_tune_rate_source_init(&source, cases[i][0], &err));
        EXPECT_STR_EQ(cases[i][1], stk_tune_rate_source_unit(&source));
        stk_tune_rate_source_release(&source);
    }
    EXPECT_OK(stk_tune_rate_source_init(&source, NULL, &err));
    EXPECT(!stk_tune_rate_source_is_told(&source));
}

STK_TEST(counts_that_begin_anew_leave_out_the_gap)
{
    stk_tune_rate_window w;
    stk_tune_rate_window_begin(&w, true, 1, 4);
    static const double counts[] = {0, 10, 20, 30, 5, 15, 25}; /* ten a second, a new epoch */
    for (size_t i = 0; i < COUNT_OF(counts); i++)
        stk_tune_rate_window_add(&w, counts[i], 10 + (double)i);
    EXPECT(stk_tune_rate_window_rate(&w) == 10);
    EXPECT(stk_tune_rate_window_seconds(&w) == 4);
    EXPECT(!stk_tune_rate_window_done(&w, 14.9) && stk_tune_rate_window_done(&w, 15.1));
}

STK_TEST(counts_that_come_at_once_are_one)
{
    stk_tune_rate_window w;
    stk_tune_rate_window_begin(&w, true, 0, 1);
    for (int i = 0; i < 100; i++)
        stk_tune_rate_window_add(&w, i, i < 50 ? 1 : 2);
    EXPECT(!stk_tune_rate_window_usable(&w)); /* two moments are no rate */
    EXPECT(!stk_tune_rate_window_done(&w, 100));
}
