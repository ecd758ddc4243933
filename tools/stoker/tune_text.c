/* Prints a search: the result in a sentence first. */
#include "tune_text.h"

#include "format.h"
#include "text.h"
#include "tune_gain.h"
#include "tune_setting.h"
#include "tune_waterfall.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { INDENT = 2, INSIDE = 5, WORD = 11, LINE_CAPACITY = 4 * STK_TUNE_LINE };

/* A difference between the trials together and the last measurement that is worth a word. */
static const double surprising = 0.03;

static size_t count_of(const stk_tune_report *r, stk_tune_decision decision)
{
    size_t count = 0;
    for (size_t i = 0; i < r->trial_count; i++)
        count += r->trials[i].decision == decision;
    return count;
}

static const char *title_of(const stk_tune_trial *trial)
{
    return *trial->title ? trial->title : trial->action;
}

static const char *unit_of(const stk_tune_report *r)
{
    return *r->unit ? r->unit : "samples";
}

/* Only what the last measurement, where there is one, bears out is called faster. */
static bool is_faster(const stk_tune_report *r)
{
    return cli_gain_is_known(r->gain) ? r->gain.low > 0 : cli_tune_product(r) > 0;
}

/* "2.4x faster", "5.1 % faster" */
static void write_claim(const stk_tune_report *r, char *text, size_t capacity)
{
    char         by[CLI_GAIN_CAPACITY];
    const double gain = cli_gain_is_known(r->gain) ? r->gain.value : cli_tune_product(r);
    cli_gain_text(by, gain);
    if (is_faster(r))
        snprintf(text, capacity, "%.40s faster", by + (*by == '+'));
    else if (cli_gain_is_bounded(r->gain) && r->gain.high < 0)
        snprintf(text, capacity, "slower, measured at the end");
    else
        snprintf(text, capacity, "not shown to be faster");
}

static void print_headline(FILE *out, const stk_tune_report *r, const cli_style *style)
{
    char         base[CLI_FORMAT_CAPACITY], best[CLI_FORMAT_CAPACITY], took[CLI_FORMAT_CAPACITY];
    char         claim[CLI_GAIN_CAPACITY], line[LINE_CAPACITY];
    const size_t kept = count_of(r, STK_TUNE_KEPT), tried = r->trial_count;
    const char  *so_far = *r->ended ? "" : "so far: ", *many = tried == 1 ? "" : "s";
    cli_tune_rate(base, r->base_rate);
    cli_tune_rate(best, r->best_rate > 0 ? r->best_rate : r->base_rate * (1 + cli_tune_product(r)));
    cli_format_duration(took, r->seconds);
    write_claim(r, claim, sizeof claim);
    if (!(r->base_rate > 0))
        snprintf(line, sizeof line, "nothing was measured%s", *r->ended ? "" : " yet");
    else if (!kept)
        snprintf(line, sizeof line, "%snothing faster was found: %s %s/s, %zu change%s tried, %s",
                 so_far, base, unit_of(r), tried, many, took);
    else
        snprintf(line, sizeof line, "%s%s: %s to %s %s/s, %zu of %zu change%s kept, %s", so_far,
                 claim, base, best, unit_of(r), kept, tried, many, took);
    line[0] = (char)toupper((unsigned char)line[0]);
    fprintf(out, "%s%s", style->bold, kept && is_faster(r) ? style->good : "");
    cli_text_wrap(out, line, 0, 0, style->width);
    fprintf(out, "%s", style->plain);
}

static void print_wrapped(FILE *out, const char *text, int indent, const cli_style *style)
{
    if (*text) cli_text_wrap(out, text, 0, indent, style->width);
}

static void print_learning(FILE *out, const stk_tune_report *r, const cli_style *style)
{
    size_t learning = 0;
    for (size_t i = 0; i < r->trial_count; i++)
        learning +=
            r->trials[i].decision == STK_TUNE_KEPT && r->trials[i].kind == STK_TUNE_LEARNING;
    char line[LINE_CAPACITY];
    snprintf(line, sizeof line,
             "%zu of the kept changes make%s it another training (marked learning): compare the "
             "accuracy.",
             learning, learning == 1 ? "s" : "");
    if (learning) print_wrapped(out, line, 0, style);
}

/* What the gain is sure to be, and what is odd about it. */
static void print_certainty(FILE *out, const stk_tune_report *r, const cli_style *style)
{
    char         low[CLI_GAIN_CAPACITY], high[CLI_GAIN_CAPACITY], line[LINE_CAPACITY];
    const double product = cli_tune_product(r);
    if (!count_of(r, STK_TUNE_KEPT)) return;
    if (cli_gain_is_bounded(r->gain)) {
        snprintf(line, sizeof line, "Sure to 95 %%: between %.40s and %.40s.",
                 cli_gain_text(low, r->gain.low), cli_gain_text(high, r->gain.high));
        print_wrapped(out, line, 0, style);
    }
    if (cli_gain_is_known(r->gain) && fabs((1 + r->gain.value) / (1 + product) - 1) > surprising) {
        snprintf(line, sizeof line,
                 "One by one the changes make %.40s, together they measure %.40s: they %s, or the "
                 "machine was %s at the end.",
                 cli_gain_text(low, product), cli_gain_text(high, r->gain.value),
                 r->gain.value < product ? "help with the same thing" : "help each other",
                 r->gain.value < product ? "slower" : "faster");
        print_wrapped(out, line, 0, style);
    }
}

static void print_energy(FILE *out, const stk_tune_report *r)
{
    char change[CLI_GAIN_CAPACITY];
    if (!(r->base_joules > 0 && r->best_joules > 0)) return;
    fprintf(out, "Energy: %.3g to %.3g joules a sample (%s).\n", r->base_joules, r->best_joules,
            cli_gain_text(change, r->best_joules / r->base_joules - 1));
}

static void print_ended(FILE *out, const stk_tune_report *r, const cli_style *style)
{
    char line[STK_TUNE_LINE + 16];
    snprintf(line, sizeof line, "Ended: %s", r->ended);
    if (*r->ended) print_wrapped(out, line, 0, style);
}

static void print_heading(FILE *out, const char *text, const cli_style *style)
{
    fprintf(out, "\n%s%s%s\n", style->bold, text, style->plain);
}

static void print_lead(FILE *out, const char *word, const char *text, const cli_style *style)
{
    if (!*text) return;
    fprintf(out, "%*s%-*s", INDENT, "", WORD, word);
    cli_text_wrap(out, text, INDENT + WORD, INDENT + WORD, style->width);
}

static void print_limits(FILE *out, const stk_tune_report *r, const cli_style *style)
{
    if (!r->limit_base.known && !r->limit_best.known) return;
    print_heading(out, "What holds it back", style);
    print_lead(out, "start", r->limit_base.known ? r->limit_base.verdict : "not known", style);
    print_lead(out, "result", r->limit_best.known ? r->limit_best.verdict : "not known", style);
}

/* "data.batch: 32 -> 64" */
static void print_change(FILE *out, const stk_tune_trial *trial, const cli_style *style)
{
    for (size_t i = 0; i < trial->change.count; i++) {
        const stk_tune_assignment *to = &trial->change.list[i];
        const char                *from = stk_tune_setting_get(&trial->before, to->key);
        char                       line[STK_TUNE_KEY + 2 * STK_TUNE_VALUE + 16];
        snprintf(line, sizeof line, "%s: %s -> %s", to->key, from ? from : "(as it was)",
                 to->value);
        print_wrapped(out, line, INSIDE, style);
    }
}

static void print_kept(FILE *out, const stk_tune_report *r, const cli_style *style)
{
    char gain[CLI_GAIN_CAPACITY];
    if (!count_of(r, STK_TUNE_KEPT)) return;
    print_heading(out, "Kept", style);
    for (size_t i = 0; i < r->trial_count; i++) {
        const stk_tune_trial *trial = &r->trials[i];
        if (trial->decision != STK_TUNE_KEPT) continue;
        fprintf(out, "%*d", INSIDE - 1, trial->number);
        cli_text_wrap(out, title_of(trial), INSIDE - 1, INSIDE, style->width);
        fprintf(out, "%*s%s, %s\n", INSIDE, "", cli_gain_interval(gain, cli_gain_of(trial)),
                stk_tune_class_name(trial->kind));
        print_change(out, trial, style);
    }
}

/* Changes that were measured need their numbers only; others say why. */
static void write_dropped(const stk_tune_trial *trial, char *text, size_t capacity)
{
    char       gain[CLI_GAIN_CAPACITY];
    const bool measured = cli_gain_is_known(cli_gain_of(trial));
    const bool why = trial->decision == STK_TUNE_REFUSED || trial->decision == STK_TUNE_FAILED;
    snprintf(text, capacity, "%s%s%s%s%s%s", title_of(trial), measured ? " (" : "",
             measured ? cli_gain_text(gain, trial->gain.value) : "", measured ? ")" : "",
             why && *trial->reason ? ": " : "", why ? trial->reason : "");
}

static void print_dropped(FILE *out, const stk_tune_report *r, const cli_style *style)
{
    char line[2 * STK_TUNE_LINE + CLI_GAIN_CAPACITY];
    if (count_of(r, STK_TUNE_KEPT) == r->trial_count) return;
    print_heading(out, "Dropped", style);
    for (int decision = STK_TUNE_KEPT + 1; decision <= STK_TUNE_FAILED; decision++) {
        const char *word = stk_tune_decision_name((stk_tune_decision)decision);
        for (size_t i = 0; i < r->trial_count; i++) {
            if (r->trials[i].decision != (stk_tune_decision)decision) continue;
            write_dropped(&r->trials[i], line, sizeof line);
            print_lead(out, word, line, style);
            word = "";
        }
    }
}

static void print_advice(FILE *out, const stk_tune_report *r, const cli_style *style)
{
    char line[STK_TUNE_LINE + CLI_GAIN_CAPACITY + 16], gain[CLI_GAIN_CAPACITY];
    if (r->advice_count) print_heading(out, "What only you can do", style);
    for (size_t i = 0; i < r->advice_count; i++) {
        const stk_tune_advice *one = &r->advice[i];
        const bool             known = cli_gain_is_known(one->gain);
        snprintf(line, sizeof line, "%s%s%s%s", one->text, known ? " (predicted " : "",
                 known ? cli_gain_text(gain, one->gain.value) : "", known ? ")" : "");
        fprintf(out, "  - ");
        cli_text_wrap(out, line, INDENT + 2, INDENT + 2, style->width);
    }
}

void cli_tune_print(FILE *out, const stk_tune_report *report, const cli_style *style)
{
    print_headline(out, report, style);
    print_certainty(out, report, style);
    print_learning(out, report, style);
    print_energy(out, report);
    print_ended(out, report, style);
    cli_tune_waterfall_print(out, report, style);
    print_limits(out, report, style);
    print_kept(out, report, style);
    print_dropped(out, report, style);
    print_advice(out, report, style);
    if (!report->best.count) return;
    print_heading(out, "The setting to take", style);
    cli_tune_setting_print(out, &report->best, strcmp(report->kind, "recipe") == 0);
}
