/* A search over the knobs of a program, from its options to tuned.sh. */
#include "harness.h"

#include <stdio.h>
#include <string.h>

static char *const trainer[] = {
    "/bin/sh", "-c",
    "[ $0 = 3 ] && { echo out of memory >&2; exit 1; }; while :; do echo rate ${0}00; sleep 0.01; "
    "done",
    "{workers}", NULL};

STK_TEST(a_search_finds_the_faster_knob_names_the_failing_one_and_writes_a_command)
{
    static const char *const knobs[] = {"workers=1,2,3"};
    const stk_tune_options   options = {.folder = stk_test_path("tuned"), .budget_s = 120};
    const stk_tune_program   program = {.argv = trainer,
                                        .knobs = knobs,
                                        .knob_count = 1,
                                        .rate = "rate ([0-9]+)",
                                        .warm_up_s = 0.001,
                                        .measure_s = 0.02};
    stk_tune_report          report;
    stk_error                err;
    bool                     failed = false;
    EXPECT_OK(stk_tune_program_run(&report, &program, &options, &err));
    EXPECT_STR_EQ("program", report.kind);
    EXPECT_STR_EQ("2", stk_tune_setting_get(&report.best, "workers"));
    EXPECT(report.gain.value > 0.99 && report.gain.value < 1.01);
    for (size_t i = 0; i < report.trial_count; i++) {
        if (report.trials[i].decision != STK_TUNE_FAILED) continue;
        failed = true;
        EXPECT_CONTAINS("out of memory", report.trials[i].reason);
    }
    EXPECT(failed);
    stk_tune_report_release(&report);
    const stk_bytes script = stk_test_read_file(stk_test_path("tuned/tuned.sh"));
    EXPECT(script.size > 0 && memmem(script.data, script.size, " 2 \"$@\"", 7) != NULL);
    EXPECT_STATUS(STK_E_EXISTS, stk_tune_program_run(&report, &program, &options, &err));
    stk_tune_report_release(&report);
}
