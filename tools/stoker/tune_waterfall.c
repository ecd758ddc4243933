/* From the start of a search to its result, a bar a kept change. */
#include "tune_waterfall.h"

#include "format.h"
#include "text.h"
#include "tune_gain.h"

#include <math.h>
#include <string.h>

enum { INDENT = 2, NUMBER = 3, GAIN = 8, RATE = 10, GAPS = 6, LABEL_MOST = 44, BAR_LEAST = 12 };
enum { LABEL_CAPACITY = 4 * STK_TUNE_LINE };

/* Gains below this are slivers on an axis from zero. */
static const double flat = 1.25;

typedef struct scale {
    double from, to;
    int    label, bar; /* columns */
} scale;

static bool is_step(const stk_tune_trial *trial)
{
    return trial->decision == STK_TUNE_KEPT && cli_gain_is_known(cli_gain_of(trial));
}

double cli_tune_product(const stk_tune_report *report)
{
    double product = 1;
    for (size_t i = 0; i < report->trial_count; i++)
        if (is_step(&report->trials[i])) product *= 1 + report->trials[i].gain.value;
    return product - 1;
}

/* A round number that is not above. */
static double rounded_down(double value, double unit)
{
    const double power = pow(10, floor(log10(unit > 0 ? unit : 1)));
    return value > 0 ? floor(value / power) * power : 0;
}

static scale scale_for(const stk_tune_report *r, const cli_style *style)
{
    double low = r->base_rate, high = r->base_rate, rate = r->base_rate;
    for (size_t i = 0; i < r->trial_count; i++) {
        if (!is_step(&r->trials[i])) continue;
        rate *= 1 + r->trials[i].gain.value;
        low = fmin(low, rate);
        high = fmax(high, rate);
    }
    if (r->best_rate > 0) low = fmin(low, r->best_rate);
    high = fmax(high, r->best_rate);
    const int left = style->width - INDENT - GAIN - RATE - GAPS, label = left / 2 + 2;
    scale     s = {.to = high, .label = label < LABEL_MOST ? label : LABEL_MOST};
    s.bar = left - s.label < BAR_LEAST ? BAR_LEAST : left - s.label;
    if (high / low < flat) s.from = rounded_down(low - (high - low), high - low);
    return s;
}

static int column_of(const scale *s, double rate)
{
    const double at = s->to > s->from ? (rate - s->from) / (s->to - s->from) : 1;
    return (int)(fmin(fmax(at, 0), 1) * s->bar + 0.5);
}

static void print_bar(FILE *out, const scale *s, double from, double to, bool whole,
                      const cli_style *style)
{
    int begin = column_of(s, fmin(from, to)), end = column_of(s, fmax(from, to));
    if (end == begin && begin == s->bar) begin--;
    if (end == begin) end++;
    fprintf(out, "%*s%s", begin, "", whole ? style->dim : to < from ? style->bad : style->good);
    for (int i = begin; i < end; i++)
        fprintf(out, "%s", style->unicode ? "\xE2\x96\x88" : whole ? "=" : "#");
    fprintf(out, "%s\n", style->plain);
}

static void print_row(FILE *out, const scale *s, const char *number, const char *label,
                      const char *gain, double rate)
{
    char      text[CLI_FORMAT_CAPACITY], shown[LABEL_CAPACITY];
    const int room = s->label - (*number ? NUMBER + 1 : 0);
    cli_text_fit(shown, sizeof shown, label, room);
    if (*number) fprintf(out, "%*s%*s ", INDENT, "", NUMBER, number);
    fprintf(out, "%*s%-*s  %*s  %*s  ", *number ? 0 : INDENT, "", room, shown, GAIN, gain, RATE,
            cli_tune_rate(text, rate));
}

static void print_heading(FILE *out, const scale *s, const char *unit, const cli_style *style)
{
    char rate[32], begin[CLI_FORMAT_CAPACITY];
    snprintf(rate, sizeof rate, "%.9s/s", *unit ? unit : "samples");
    fprintf(out, "\n%sFrom the start to the result%s\n", style->bold, style->plain);
    fprintf(out, "%s%*s  %*s  %*s", style->dim, INDENT + s->label, "", GAIN, "gain", RATE, rate);
    if (s->from > 0) fprintf(out, "  from %s", cli_tune_rate(begin, s->from));
    fprintf(out, "%s\n", style->plain);
}

static void print_steps(FILE *out, const stk_tune_report *r, const scale *s, const cli_style *style)
{
    char   number[16], gain[CLI_GAIN_CAPACITY];
    double rate = r->base_rate;
    for (size_t i = 0; i < r->trial_count; i++) {
        const stk_tune_trial *trial = &r->trials[i];
        if (!is_step(trial)) continue;
        const double before = rate;
        rate *= 1 + trial->gain.value;
        snprintf(number, sizeof number, "%d", trial->number);
        print_row(out, s, number, *trial->title ? trial->title : trial->action,
                  cli_gain_text(gain, trial->gain.value), rate);
        print_bar(out, s, before, rate, false, style);
    }
}

void cli_tune_waterfall_print(FILE *out, const stk_tune_report *report, const cli_style *style)
{
    char gain[CLI_GAIN_CAPACITY] = "";
    bool any = false;
    for (size_t i = 0; i < report->trial_count; i++)
        any |= is_step(&report->trials[i]);
    if (!any || !(report->base_rate > 0)) return;
    const scale s = scale_for(report, style);
    print_heading(out, &s, report->unit, style);
    print_row(out, &s, "", "start", "", report->base_rate);
    print_bar(out, &s, s.from, report->base_rate, true, style);
    print_steps(out, report, &s, style);
    if (!(report->best_rate > 0)) return;
    if (cli_gain_is_known(report->gain)) cli_gain_text(gain, report->gain.value);
    print_row(out, &s, "", *gain ? "result, against the start" : "result", gain, report->best_rate);
    print_bar(out, &s, s.from, report->best_rate, true, style);
}
