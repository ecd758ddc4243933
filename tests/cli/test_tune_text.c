/* What the command says of a search: every width, every outcome, and texts that are out to break
 * the terminal. */
#include "harness.h"
#include "tune/sample_report.h"

#include "../../tools/stoker/text.h"
#include "../../tools/stoker/tune_text.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

enum { NASTY_TRIALS = 100 };

static cli_style plain_style(int width, bool unicode)
{
    return (cli_style){"", "", "", "", "", unicode, width};
}

/* Free it. */
static char *print(const stk_tune_report *report, int width, bool unicode)
{
    const cli_style style = plain_style(width, unicode);
    char           *text;
    size_t          bytes;
    FILE           *out = open_memstream(&text, &bytes);
    cli_tune_print(out, report, &style);
    fclose(out);
    return text;
}

static char *print_rows(const stk_tune_report *report, int width)
{
    const cli_style style = plain_style(width, false);
    char           *text;
    size_t          bytes;
    FILE           *out = open_memstream(&text, &bytes);
    cli_tune_trial_header(out, &style);
    for (size_t i = 0; i < report->trial_count; i++)
        cli_tune_trial_row(out, &report->trials[i], &style);
    fclose(out);
    return text;
}

static void expect_no_line_wider(const char *text, int width)
{
    for (const char *line = text; *line;) {
        const size_t bytes = strcspn(line, "\n");
        if (cli_text_width_of(line, bytes) > width)
            print_error("wider than %d: %.*s\n", width, (int)bytes, line);
        EXPECT(cli_text_width_of(line, bytes) <= width);
        line += bytes + (line[bytes] == '\n');
    }
}

static void expect_printed(const stk_tune_report *report, const char *part)
{
    char *text = print(report, 80, false);
    EXPECT_CONTAINS(part, text);
    free(text);
}

STK_TEST(search_is_told_within_any_terminal)
{
    stk_error       err;
    stk_tune_report report;
    setlocale(LC_CTYPE, "C.UTF-8");
    EXPECT_OK(stk_sample_tune(&report, &err));
    for (int width = 60; width <= 140; width += 20) {
        char *text = print(&report, width, width % 40 == 0);
        expect_no_line_wider(text, width);
        free(text);
    }
    stk_tune_report_release(&report);
}

STK_TEST(result_bars_and_setting_are_there)
{
    stk_error       err;
    stk_tune_report report;
    EXPECT_OK(stk_sample_tune(&report, &err));
    expect_printed(&report, "2.4x faster: 1,210 to 2,904 samples/s, 10 of 30 changes kept");
    expect_printed(&report, "Sure to 95 %: between 2.3x and 2.5x.");
    expect_printed(&report, "3 of the kept changes make it another training");
    expect_printed(&report, "\n  start                                         1,210  ====");
    expect_printed(&report, "     data.path: /data/birds -> /data/birds.tune/pack\n");
    expect_printed(&report, "  refused    double the batch again (+7.1 %): accuracy");
    expect_printed(&report, "this machine has none.\n    (predicted 5.1x)");
    expect_printed(&report, "  data:\n    batch: 64\n    cache: memory\n");
    stk_tune_report_release(&report);
}

STK_TEST(a_pack_is_no_key_to_copy)
{
    stk_error       err;
    stk_tune_report report;
    EXPECT_OK(stk_sample_tune(&report, &err));
    EXPECT_OK(stk_tune_setting_set(&report.best, "pack.form", "jpeg", &err));
    EXPECT_OK(stk_tune_setting_set(&report.best, "pack.resize", "146", &err));
    expect_printed(&report, "\n  and the pack tune-data/jpeg-146, beside it\n");
    char *text = print(&report, 80, false);
    EXPECT(!strstr(text, "  pack:"));
    free(text);
    stk_tune_report_release(&report);
}

STK_TEST(search_without_a_gain_says_so)
{
    stk_error       err;
    stk_tune_report report;
    EXPECT_OK(stk_sample_tune_none(&report, &err));
    expect_printed(&report, "Nothing faster was found: 87.4 samples/s, 3 changes tried");
    char *text = print(&report, 80, false);
    EXPECT(!strstr(text, "From the start") && !strstr(text, "Kept"));
    free(text);
    stk_tune_report_release(&report);
    stk_sample_tune_empty(&report);
    expect_printed(&report, "Nothing was measured yet\n");
    stk_tune_report_release(&report);
}

STK_TEST(gain_that_the_end_does_not_bear_out_is_not_claimed)
{
    stk_error       err;
    stk_tune_report report;
    EXPECT_OK(stk_sample_tune(&report, &err));
    report.gain = (stk_estimate){0.02, -0.01, 0.05};
    expect_printed(&report, "Not shown to be faster: 1,210 to 2,904");
    report.gain = (stk_estimate){-0.04, -0.06, -0.01};
    expect_printed(&report, "Slower, measured at the end: ");
    stk_tune_report_release(&report);
}

STK_TEST(no_text_drives_the_terminal_or_breaks_its_row)
{
    stk_error       err;
    stk_tune_report report;
    setlocale(LC_CTYPE, "C.UTF-8");
    EXPECT_OK(stk_sample_tune_nasty(&report, NASTY_TRIALS, &err));
    char *whole = print(&report, 80, true);
    EXPECT(!strpbrk(whole, "\033\xFF"));
    EXPECT_CONTAINS("\n  workers=", whole);
    free(whole);
    for (int width = 60; width <= 140; width += 20) {
        char *rows = print_rows(&report, width);
        EXPECT(!strpbrk(rows, "\033\xFF"));
        expect_no_line_wider(rows, width);
        free(rows);
    }
    stk_tune_report_release(&report);
}

STK_TEST(rows_of_trials_have_their_columns)
{
    stk_error       err;
    stk_tune_report report;
    EXPECT_OK(stk_sample_tune(&report, &err));
    char *rows = print_rows(&report, 80);
    EXPECT_CONTAINS("  #  change                         predicted  measured gain   decision     "
                    "took\n",
                    rows);
    EXPECT_CONTAINS(
        "  5  use twelve threads for the...     +4.0 %  -5.8 % +-1.4    slower     29.1 "
        "s\n",
        rows);
    EXPECT_CONTAINS(
        "  8  compute in fp16                   +2.0 %  -               failed     2.30 "
        "s\n",
        rows);
    free(rows);
    /* Half of this width would reach below nothing, where the interval does not. */
    report.trials[4].gain = (stk_estimate){0.842, 0.012, 2.35};
    rows = print_rows(&report, 80);
    EXPECT_CONTAINS("+4.0 %  +1 to +235 %    slower", rows);
    free(rows);
    report.trials[4].gain = (stk_estimate){0.244, 0.021, 0.516};
    rows = print_rows(&report, 80);
    EXPECT_CONTAINS("+4.0 %  +2 to +52 %     slower", rows);
    free(rows);
    stk_tune_report_release(&report);
}
