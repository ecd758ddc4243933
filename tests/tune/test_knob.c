/* Knobs: their values, ranges, and what is refused. */
#include "harness.h"
#include "tune/program/knob.h"

#include <stdio.h>
#include <string.h>

/* Values of the only knob as "a b c". */
static const char *values_of(const char *text)
{
    static char    out[1024];
    stk_tune_knobs knobs;
    stk_error      err;
    size_t         used = 0;
    EXPECT_OK(stk_tune_knobs_parse(&knobs, &text, 1, &err));
    out[0] = 0;
    for (size_t i = 0; i < knobs.list[0].count; i++)
        used += (size_t)snprintf(out + used, sizeof out - used, "%s%s", i ? " " : "",
                                 knobs.list[0].values[i]);
    stk_tune_knobs_release(&knobs);
    return out;
}

static void expect_refused(const char *text, stk_status status, const char *message)
{
    stk_tune_knobs knobs;
    stk_error      err;
    EXPECT_STATUS(status, stk_tune_knobs_parse(&knobs, &text, 1, &err));
    EXPECT_CONTAINS(message, err.message);
    EXPECT_STR_EQ("tune", err.component);
    stk_tune_knobs_release(&knobs);
}

STK_TEST(knobs_have_the_values_that_are_listed)
{
    EXPECT_STR_EQ("0 1 2 4 8", values_of("workers=0,1,2,4,8"));
    EXPECT_STR_EQ("off on", values_of("amp=off, on"));
    EXPECT_STR_EQ("4", values_of("workers=4"));
    EXPECT_STR_EQ("../a b..c a=b", values_of("data=../a,b..c,a=b"));
}

STK_TEST(ranges_go_by_a_step_or_a_factor)
{
    EXPECT_STR_EQ("32 64 128 256 512", values_of("batch=32..512x2"));
    EXPECT_STR_EQ("32 64 128", values_of("batch=32..200x2"));
    EXPECT_STR_EQ("0 2 4 6 8", values_of("workers=0..8+2"));
    EXPECT_STR_EQ("0 1 2 3", values_of("workers=0..3"));
    EXPECT_STR_EQ("0 0.1 0.2 0.3", values_of("p=0..0.3+0.1"));
    EXPECT_STR_EQ("0.001 0.01 0.1", values_of("lr=0.001..0.1x10"));
    EXPECT_STR_EQ("-4 -2 0", values_of("nice=-4..0+2"));
    EXPECT_STR_EQ("1000000 10000000", values_of("buffer=1e6..1e7x10"));
    EXPECT_STR_EQ("32 48 72 108 162 243 365", values_of("batch=32..512x1.5"));
    EXPECT_STR_EQ("7", values_of("workers=7..7"));
}

STK_TEST(a_range_leaves_out_the_start_that_stands_before_it)
{
    EXPECT_STR_EQ("128 32 64 256 512", values_of("batch=128,32..512x2"));
    EXPECT_STR_EQ("auto 1 2 4", values_of("workers=auto,1..4x2"));
}

STK_TEST(knobs_that_cannot_be_are_refused_with_a_reason)
{
    expect_refused("workers", STK_E_INVALID, "NAME=VALUE");
    expect_refused("=1,2", STK_E_INVALID, "letters, digits and _");
    expect_refused("num-workers=1,2", STK_E_INVALID, "letters, digits and _");
    expect_refused("config=a,b", STK_E_INVALID, "{config} is the filled template");
    expect_refused("workers=", STK_E_INVALID, "value 1 is empty");
    expect_refused("workers=1,,2", STK_E_INVALID, "value 2 is empty");
    expect_refused("workers=1,2,", STK_E_INVALID, "value 3 is empty");
    expect_refused("workers=1,2,1", STK_E_INVALID, "'1' is there twice");
    expect_refused("workers=8..0", STK_E_INVALID, "never ends");
    expect_refused("workers=0..8+0", STK_E_INVALID, "never ends");
    expect_refused("batch=32..512x1", STK_E_INVALID, "never ends");
    expect_refused("batch=0..512x2", STK_E_INVALID, "never ends");
    expect_refused("batch=-8..512x2", STK_E_INVALID, "never ends");
    expect_refused("batch=32..512*2", STK_E_INVALID, "ranges are");
    expect_refused("batch=32..512x", STK_E_INVALID, "ranges are");
    expect_refused("batch=32..", STK_E_INVALID, "ranges are");
    expect_refused("workers=0..64", STK_E_LIMIT, "more than 64 values");
    expect_refused("p=1..2+1e-300", STK_E_LIMIT, "more than 64 values");
    expect_refused("a_name_that_is_longer_than_what_a_setting_may_keep=1", STK_E_LIMIT, "at most");
}

STK_TEST(a_value_longer_than_a_setting_keeps_is_refused)
{
    char text[STK_TUNE_VALUE + 8] = "data=";
    memset(text + 5, 'a', STK_TUNE_VALUE);
    expect_refused(text, STK_E_LIMIT, "at most");
    text[5 + STK_TUNE_VALUE - 1] = 0;
    EXPECT_INT_EQ(STK_TUNE_VALUE - 1, strlen(values_of(text)));
}

STK_TEST(knobs_are_found_by_name_and_known_as_numbers)
{
    static const char *const texts[] = {"workers=0,2", "amp=off,on", "threads=1..4"};
    stk_tune_knobs           knobs;
    stk_tune_setting         now = {0};
    stk_error                err;
    char                     names[64];
    EXPECT_OK(stk_tune_knobs_parse(&knobs, texts, COUNT_OF(texts), &err));
    const stk_tune_knob *amp = stk_tune_knobs_find(&knobs, "amp}", 3);
    EXPECT(amp && !amp->numbers && knobs.list[0].numbers && knobs.list[2].numbers);
    EXPECT(!stk_tune_knobs_find(&knobs, "am", 2) && !stk_tune_knobs_find(&knobs, "ampl", 4));
    EXPECT_STR_EQ("off", stk_tune_knob_value(amp, &now));
    EXPECT_OK(stk_tune_setting_set(&now, "amp", "on", &err));
    EXPECT_STR_EQ("on", stk_tune_knob_value(amp, &now));
    EXPECT_STR_EQ("workers, amp, threads", stk_tune_knobs_names(&knobs, names, sizeof names));
    stk_tune_knobs_release(&knobs);
}

STK_TEST(the_same_knob_twice_is_refused)
{
    static const char *const texts[] = {"workers=0,2", "workers=4"};
    stk_tune_knobs           knobs;
    stk_error                err;
    EXPECT_STATUS(STK_E_INVALID, stk_tune_knobs_parse(&knobs, texts, 2, &err));
    EXPECT_CONTAINS("workers is there twice", err.message);
    stk_tune_knobs_release(&knobs);
}

static stk_status parse_two(void *context, stk_error *err)
{
    static const char *const texts[] = {"workers=0,1..4", "amp=off,on"};
    stk_tune_knobs           knobs;
    (void)context;
    const stk_status st = stk_tune_knobs_parse(&knobs, texts, 2, err);
    stk_tune_knobs_release(&knobs);
    return st;
}

STK_TEST(each_failing_allocation_of_knobs_is_told)
{
    stk_test_fail_each_allocation(parse_two, NULL);
}
