/* Prints a diagnosis, verdict first. */
#include "diagnosis_text.h"

#include "format.h"
#include "table.h"
#include "text.h"

/* Small rates keep decimals. */
static char *rate(char *text, double per_s)
{
    if (per_s > 0 && per_s < 100) return stk_rate_text(text, CLI_FORMAT_CAPACITY, per_s);
    return cli_format_count(text, per_s > 0 ? (uint64_t)(per_s + 0.5) : 0);
}

void cli_diagnosis_print_verdict(FILE *out, const stk_diagnosis *diagnosis, const cli_style *style)
{
    fprintf(out, "%s", style->bold);
    cli_text_print(out, diagnosis->verdict);
    fprintf(out, "%s\n", style->plain);
}

static void print_rate(FILE *out, const stk_diagnosis *d)
{
    char a[CLI_FORMAT_CAPACITY], b[CLI_FORMAT_CAPACITY], c[CLI_FORMAT_CAPACITY];
    if (d->samples_per_s.value < 0) return;
    fprintf(out, "%s %s/s (%s to %s); %.0f %% of a step is compute",
            rate(a, d->samples_per_s.value), d->unit, rate(b, d->samples_per_s.low),
            rate(c, d->samples_per_s.high), 100 * d->compute_share);
    if (d->confidence > 0) fprintf(out, "; sure to %.0f %%", 100 * d->confidence);
    fprintf(out, "\n");
}

static void add_percent(cli_table *table, double fraction)
{
    char text[CLI_FORMAT_CAPACITY];
    snprintf(text, sizeof text, "%.1f %%", 100 * fraction);
    cli_table_add(table, fraction < 0 ? "-" : text);
}

static void print_rows(FILE *out, const stk_diagnosis *d, const cli_style *style)
{
    char        text[CLI_FORMAT_CAPACITY], at_most[CLI_FORMAT_CAPACITY];
    const char *headings[] = {"", "exposed", "busy", at_most, ""};
    cli_table   table;
    snprintf(at_most, sizeof at_most, "%.12s/s at most", d->unit);
    if (!d->row_count) return;
    cli_table_init(&table, "lrrrl");
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
        cli_table_add(&table, headings[i]);
    for (size_t i = 0; i < d->row_count; i++) {
        const stk_stage_throughput *row = &d->rows[i];
        cli_table_add(&table, row->name);
        add_percent(&table, row->stage ? row->exposed : -1);
        add_percent(&table, row->utilisation);
        cli_table_add(&table, row->samples_per_s > 0 ? rate(text, row->samples_per_s) : "-");
        cli_table_add(&table, row->binding ? row->stage ? "<- limits" : "<- nearly all used" : "");
    }
    fprintf(out, "\n");
    cli_table_print(&table, out, style);
    cli_table_release(&table);
}

static void print_limits(FILE *out, const stk_diagnosis *d, const cli_style *style)
{
    if (d->limit_count < 2) return;
    fprintf(out, "\n%sLimits, worst first%s\n", style->bold, style->plain);
    for (size_t i = 0; i < d->limit_count; i++) {
        fprintf(out, "  ");
        cli_text_wrap(out, d->limits[i].sentence, 2, 2, style->width);
    }
}

/* A run with training only has no other phases. */
static void print_phases(FILE *out, const stk_diagnosis *d, const cli_style *style)
{
    char time[CLI_FORMAT_CAPACITY];
    if (d->phase_count < 2) return;
    fprintf(out, "\n%sPhases%s\n", style->bold, style->plain);
    for (size_t i = 0; i < d->phase_count; i++) {
        const stk_phase_verdict *p = &d->phases[i];
        fprintf(out, "  %-10s %5.1f %%  %8s  ", p->name, 100 * p->share,
                cli_format_duration(time, p->ns * 1e-9));
        cli_text_wrap(out, p->sentence, 30, 30, style->width);
    }
}

static void print_lines(FILE *out, const char *heading, size_t count,
                        const char lines[][STK_DIAGNOSIS_LINE], const cli_style *style)
{
    if (count) fprintf(out, "\n%s%s%s\n", style->bold, heading, style->plain);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "  ");
        cli_text_wrap(out, lines[i], 2, 2, style->width);
    }
}

/* "+43 % (+31 % to +55 %): 2,143 samples/s", "at most 3.1x", or that there is no prediction. */
static void print_gain(FILE *out, const stk_diagnosis *d, const stk_fix *fix)
{
    char       a[32], b[32], c[32], r[CLI_FORMAT_CAPACITY];
    const bool predicted = fix->samples_per_s.value > 0;
    fprintf(out, "     ");
    if (predicted && fix->at_most)
        fprintf(out, "at most %s", stk_gain_text(a, sizeof a, fix->gain));
    else if (predicted)
        fprintf(out, "%s (%s to %s): %s %s/s", stk_gain_text(a, sizeof a, fix->gain),
                stk_gain_text(b, sizeof b, fix->gain_low),
                stk_gain_text(c, sizeof c, fix->gain_high), rate(r, fix->samples_per_s.value),
                d->unit);
    else
        fprintf(out, "gain not predicted");
    fprintf(out, "%s\n", fix->changes_training ? "; changes training" : "");
}

static void print_line(FILE *out, const char *lead, const char *text)
{
    if (!*text) return;
    fprintf(out, "     %s", lead);
    cli_text_print(out, text);
    fprintf(out, "\n");
}

static void print_fix(FILE *out, const stk_diagnosis *d, size_t number, const cli_style *style)
{
    const stk_fix *fix = &d->fixes[number - 1];
    fprintf(out, "  %zu. ", number);
    cli_text_wrap(out, fix->title, 5, 5, style->width);
    print_gain(out, d, fix);
    if (*fix->why) {
        fprintf(out, "     ");
        cli_text_wrap(out, fix->why, 5, 5, style->width);
    }
    print_line(out, "$ ", fix->command);
    print_line(out, "recipe: ", fix->recipe);
    print_line(out, "write: ", fix->code);
}

void cli_diagnosis_print_findings(FILE *out, const stk_diagnosis *diagnosis, const cli_style *style)
{
    for (size_t i = 0; i < diagnosis->finding_count; i++) {
        const stk_usage_note *f = &diagnosis->findings[i];
        fprintf(out, "  - ");
        cli_text_wrap(out, f->sentence, 4, 4, style->width);
        fprintf(out, "    ");
        cli_text_wrap(out, f->advice, 4, 4, style->width);
    }
}

void cli_diagnosis_print(FILE *out, const stk_diagnosis *diagnosis, const cli_style *style)
{
    const stk_diagnosis *d = diagnosis;
    cli_diagnosis_print_verdict(out, d, style);
    print_rate(out, d);
    print_rows(out, d, style);
    print_limits(out, d, style);
    print_phases(out, d, style);
    if (d->finding_count) fprintf(out, "\n%sOver time%s\n", style->bold, style->plain);
    cli_diagnosis_print_findings(out, d, style);
    print_lines(out, "Evidence", d->evidence_count, d->evidence, style);
    if (d->fix_count) fprintf(out, "\n%sWhat to do%s\n", style->bold, style->plain);
    for (size_t i = 0; i < d->fix_count; i++)
        print_fix(out, d, i + 1, style);
    print_lines(out, "Warnings", d->warning_count, d->warnings, style);
}
