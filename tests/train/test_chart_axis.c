/* Axes: round ticks within the range, whatever the range. */
#include "harness.h"
#include "train/log/chart_axis.h"

#include <locale.h>
#include <math.h>
#include <string.h>

/* The labels of an axis over [low, high], as one text. */
static const char *labels_of(bool log, double low, double high, int wanted)
{
    static char    text[STK_CHART_AXIS_TICKS * STK_CHART_AXIS_LABEL];
    stk_chart_axis axis;
    stk_chart_axis_init(&axis, log);
    stk_chart_axis_include(&axis, low);
    stk_chart_axis_include(&axis, high);
    stk_chart_axis_finish(&axis, 0, wanted);
    text[0] = 0;
    for (int i = 0; i < axis.count; i++) {
        if (i) strcat(text, " ");
        strcat(text, axis.labels[i]);
    }
    return text;
}

static void expect_labels(void)
{
    EXPECT_STR_EQ("0 2 4 6 8 10", labels_of(false, 0, 10, 5));
    EXPECT_STR_EQ("0 0.5 1.0 1.5 2.0 2.5", labels_of(false, 0, 2.5, 5));
    EXPECT_STR_EQ("-1.0 -0.5 0 0.5 1.0", labels_of(false, -1, 1, 5));
    EXPECT_STR_EQ("0 1000 2000 3000", labels_of(false, 0, 3500, 5));
    EXPECT_STR_EQ("0 20k 40k 60k 80k", labels_of(false, 0, 90000, 5));
    EXPECT_STR_EQ("0 0.5M 1.0M 1.5M", labels_of(false, 0, 1.9e6, 5));
    EXPECT_STR_EQ("0 2e-5 4e-5 6e-5 8e-5 0.0001", labels_of(false, 0, 1e-4, 5));
    EXPECT_STR_EQ("0 2e19 4e19 6e19 8e19 1e20", labels_of(false, 0, 1e20, 5));
    EXPECT_STR_EQ("99.9 100.0 100.1", labels_of(false, 99.9, 100.1, 3));
    EXPECT_STR_EQ("1e-7 1e-6 1e-5 0.0001 0.001 0.01 0.1 1", labels_of(true, 1e-7, 1, 8));
    EXPECT_STR_EQ("1e-6 0.0001 0.01 1", labels_of(true, 1e-7, 1, 4));
    EXPECT_STR_EQ("1 2 5 10 20 50", labels_of(true, 1, 60, 8));
    EXPECT_STR_EQ("2.2 2.4 2.6 2.8 3.0", labels_of(true, 2.1, 3, 5));
}

STK_TEST(ticks_are_round_and_their_labels_short)
{
    expect_labels();
}

STK_TEST(labels_have_a_point_in_every_locale)
{
    static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8"};
    for (size_t i = 0; i < COUNT_OF(locales); i++)
        if (setlocale(LC_ALL, locales[i])) expect_labels();
    setlocale(LC_ALL, "C");
}

/* At least two ticks, in order, inside, and values placed in order, for ranges of any size. */
STK_TEST(ranges_of_every_size_have_ticks)
{
    static const double values[] = {0,    1,      -1,    1e-320, 1e-299, -1e299, 1e300,  1e15,
                                    1e-3, 999.99, 1e-10, 1e10,   3.3,    1e-300, 123456, 1 + 1e-12};
    for (int log = 0; log < 2; log++)
        for (size_t a = 0; a < COUNT_OF(values); a++)
            for (size_t b = 0; b < COUNT_OF(values); b++)
                for (int wanted = 0; wanted < 30; wanted += 4) {
                    stk_chart_axis axis;
                    stk_chart_axis_init(&axis, log);
                    stk_chart_axis_include(&axis, values[a]);
                    stk_chart_axis_include(&axis, values[b]);
                    stk_chart_axis_finish(&axis, 0.04, wanted);
                    EXPECT(axis.low < axis.high && isfinite(axis.high - axis.low));
                    EXPECT(axis.count >= 1 && axis.count <= STK_CHART_AXIS_TICKS);
                    for (int i = 0; i < axis.count; i++) {
                        const double place = stk_chart_axis_position(&axis, axis.ticks[i]);
                        EXPECT(place > -1e-3 && place < 1 + 1e-3);
                        EXPECT(!i || axis.ticks[i] > axis.ticks[i - 1]);
                        EXPECT(!i || strcmp(axis.labels[i], axis.labels[i - 1]));
                    }
                }
}

STK_TEST(values_that_cannot_be_shown_have_no_place)
{
    stk_chart_axis axis;
    stk_chart_axis_init(&axis, false);
    stk_chart_axis_include(&axis, NAN);
    stk_chart_axis_include(&axis, INFINITY);
    stk_chart_axis_finish(&axis, 0, 5);
    EXPECT(axis.low == 0 && axis.high == 1);
    EXPECT(isnan(stk_chart_axis_position(&axis, NAN)) &&
           isnan(stk_chart_axis_position(&axis, -INFINITY)));
    stk_chart_axis_init(&axis, true);
    stk_chart_axis_include(&axis, 0);
    stk_chart_axis_include(&axis, -5);
    stk_chart_axis_finish(&axis, 0, 5);
    EXPECT(isnan(stk_chart_axis_position(&axis, 0)) && isnan(stk_chart_axis_position(&axis, -1)));
    EXPECT(stk_chart_axis_position(&axis, 10) == 1);
}
