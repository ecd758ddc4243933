/* A diagnosis for people: the verdict first. */
#include "diagnosis_text.h"

#include "format.h"
#include "table.h"
#include "text.h"

static char *rate(char *text, double samples_per_s)
{
    return stk_format_count(text, samples_per_s > 0 ? (uint64_t)(samples_per_s + 0.5) : 0);
}

void stk_diagnosis_print_verdict(FILE *out, const stk_diagnosis *diagnosis, const stk_style *style)
{
    fprintf(out, "%s", style->bold);
    stk_text_print(out, diagnosis->verdict);
    fprintf(out, "%s\n", style->plain);
}

static void print_rate(FILE *out, const stk_diagnosis *d)
{
    char a[STK_FORMAT_ROOM], b[STK_FORMAT_ROOM], c[STK_FORMAT_ROOM];
    if (d->samples_per_s.value < 0) return;
    fprintf(out, "%s samples/s (%s to %s); %.0f %% of a step is compute; sure to %.0f %%\n",
            rate(a, d->samples_per_s.value), rate(b, d->samples_per_s.low),
            rate(c, d->samples_per_s.high), 100 * d->compute_share, 100 * d->confidence);
}

static void add_share(stk_table *table, double share)
{
    char text[STK_FORMAT_ROOM];
    snprintf(text, sizeof text, "%.1f %%", 100 * share);
    stk_table_add(table, share < 0 ? "-" : text);
}

static void print_rows(FILE *out, const stk_diagnosis *d, const stk_style *style)
{
    static const char *const headings[] = {"", "exposed", "busy", "samples/s at most", ""};
    stk_table                table;
    char                     text[STK_FORMAT_ROOM];
    if (!d->row_count) return;
    stk_table_init(&table, "lrrrl");
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
        stk_table_add(&table, headings[i]);
    for (size_t i = 0; i < d->row_count; i++) {
        const stk_capacity *row = &d->rows[i];
        stk_table_add(&table, row->name);
        add_share(&table, row->stage ? row->exposed : -1);
        add_share(&table, row->utilisation);
        stk_table_add(&table, row->samples_per_s > 0 ? rate(text, row->samples_per_s) : "-");
        stk_table_add(&table, row->binding ? row->stage ? "<- limits" : "<- nearly all used" : "");
    }
    fprintf(out, "\n");
    stk_table_print(&table, out, style);
    stk_table_release(&table);
}

static void print_limits(FILE *out, const stk_diagnosis *d, const stk_style *style)
{
    if (d->limit_count < 2) return;
    fprintf(out, "\n%sLimits, worst first%s\n", style->bold, style->plain);
    for (size_t i = 0; i < d->limit_count; i++) {
        fprintf(out, "  ");
        stk_text_wrap(out, d->limits[i].sentence, 2, 2, style->width);
    }
}

static void print_lines(FILE *out, const char *heading, size_t count,
                        const char lines[][STK_DIAGNOSIS_LINE], const stk_style *style)
{
    if (count) fprintf(out, "\n%s%s%s\n", style->bold, heading, style->plain);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "  ");
        stk_text_wrap(out, lines[i], 2, 2, style->width);
    }
}

static void print_gain(FILE *out, const stk_fix *fix)
{
    char a[STK_FORMAT_ROOM], b[STK_FORMAT_ROOM], c[STK_FORMAT_ROOM];
    if (fix->samples_per_s.value > 0)
        fprintf(out, "     %+.0f %%: %s samples/s (%s to %s)", 100 * fix->gain,
                rate(a, fix->samples_per_s.value), rate(b, fix->samples_per_s.low),
                rate(c, fix->samples_per_s.high));
    else if (fix->gain > 0)
        fprintf(out, "     up to %+.0f %%", 100 * fix->gain);
    else
        fprintf(out, "     gain not known");
    fprintf(out, "%s\n", fix->changes_training ? "; changes training" : "");
}

static void print_fix(FILE *out, size_t number, const stk_fix *fix, const stk_style *style)
{
    fprintf(out, "  %zu. ", number);
    stk_text_wrap(out, fix->title, 5, 5, style->width);
    print_gain(out, fix);
    if (*fix->why) {
        fprintf(out, "     ");
        stk_text_wrap(out, fix->why, 5, 5, style->width);
    }
    if (*fix->command) {
        fprintf(out, "     $ ");
        stk_text_print(out, fix->command);
        fprintf(out, "\n");
    }
    if (*fix->recipe) {
        fprintf(out, "     recipe: ");
        stk_text_print(out, fix->recipe);
        fprintf(out, "\n");
    }
}

void stk_diagnosis_print(FILE *out, const stk_diagnosis *diagnosis, const stk_style *style)
{
    const stk_diagnosis *d = diagnosis;
    stk_diagnosis_print_verdict(out, d, style);
    print_rate(out, d);
    print_rows(out, d, style);
    print_limits(out, d, style);
    print_lines(out, "Evidence", d->evidence_count, d->evidence, style);
    if (d->fix_count) fprintf(out, "\n%sWhat to do%s\n", style->bold, style->plain);
    for (size_t i = 0; i < d->fix_count; i++)
        print_fix(out, i + 1, &d->fixes[i], style);
    print_lines(out, "Warnings", d->warning_count, d->warnings, style);
}
