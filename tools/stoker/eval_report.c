/* Prints an evaluation. */
#include "eval_report.h"

#include "format.h"
#include "table.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>

enum { CLASSES_SHOWN = 20, ABSENT_SHOWN = 8 };

static const char *name_of(const cli_eval_report *r, int64_t class)
{
    return stk_predictor_class_name(r->predictor, class);
}

static void add_count(cli_table *table, int64_t count)
{
    char text[CLI_FORMAT_CAPACITY];
    cli_table_add(table, cli_format_count(text, (uint64_t)count));
}

static void add_percent(cli_table *table, double fraction)
{
    char text[32];
    snprintf(text, sizeof text, "%.1f %%", 100 * fraction);
    cli_table_add(table, text);
}

static void begin_table(cli_table *table, const char *alignment, const char *const *heading)
{
    cli_table_init(table, alignment);
    for (; *heading; heading++)
        cli_table_add(table, *heading);
}

static void end_table(cli_table *table, const cli_style *style)
{
    cli_table_print(table, stdout, style);
    cli_table_release(table);
}

static void print_split(const stk_evaluation *e)
{
    if (e->held_back)
        printf(" (held back of %s)", e->split);
    else if (e->splits != 1)
        printf(" (split %s)", e->split);
}

/* Lists classes without images, as far as they fit. */
static void print_subset(const cli_eval_report *r)
{
    const stk_evaluation *e = r->evaluation;
    int                   shown = 0;
    if (e->present == e->classes) return;
    printf("  these are of %lld of the run's %lld classes; there are none of ",
           (long long)e->present, (long long)e->classes);
    for (int64_t i = 0; i < e->classes && shown < ABSENT_SHOWN; i++) {
        if (e->scores[i].images) continue;
        printf("%s", shown++ ? ", " : "");
        cli_text_print(stdout, name_of(r, i));
    }
    printf("%s\n", e->classes - e->present > shown ? ", ..." : "");
}

static void print_summary(const cli_eval_report *r, const cli_style *style)
{
    const stk_evaluation *e = r->evaluation;
    char                  a[CLI_FORMAT_CAPACITY], b[CLI_FORMAT_CAPACITY];
    printf("%s%.2f %%%s right", style->bold, 100 * e->accuracy, style->plain);
    if (e->classes > 5) printf(", %.2f %% among the first 5", 100 * e->top5);
    printf(", loss %.4f\n  %s images of ", e->loss, cli_format_count(a, (uint64_t)e->count));
    cli_text_print(stdout, r->data);
    print_split(e);
    printf(", %s img/s\n", cli_format_count(b, (uint64_t)(e->images_per_second + 0.5)));
    printf("  weights ");
    cli_text_print(stdout, stk_predictor_weights(r->predictor));
    printf("\n");
    if (e->skipped > 0)
        printf("  %lld more could not be read and were left out\n", (long long)e->skipped);
    print_subset(r);
    printf("  mean of classes: recall %.2f %% (balanced accuracy), precision %.2f %%, F1 %.2f %%\n",
           100 * e->balanced_accuracy, 100 * e->macro_precision, 100 * e->macro_f1);
}

static void print_classes(const cli_eval_report *r, const cli_style *style)
{
    static const char *const heading[] = {"class", "images", "recall", "precision", "F1", NULL};
    cli_table                table;
    size_t                   count;
    cli_eval_tally          *list = cli_eval_list_classes(r->evaluation, &count);
    if (!list) return;
    begin_table(&table, "frrrr", heading);
    for (size_t i = 0; i < count && i < CLASSES_SHOWN; i++) {
        const stk_class_score *s = &r->evaluation->scores[list[i].truth];
        cli_table_add(&table, name_of(r, list[i].truth));
        add_count(&table, s->images);
        add_percent(&table, s->recall);
        add_percent(&table, s->precision);
        add_percent(&table, s->f1);
    }
    printf("\n%sClasses%s, worst first", style->bold, style->plain);
    if (count > CLASSES_SHOWN) printf("; %d of %zu", CLASSES_SHOWN, count);
    printf("\n");
    end_table(&table, style);
    free(list);
}

static void print_pairs(const cli_eval_report *r, const cli_style *style)
{
    static const char *const heading[] = {"it is", "taken for", "images", "of the class", NULL};
    cli_table                table;
    cli_eval_tally           pairs[CLI_EVAL_PAIRS + 1];
    const size_t             count = cli_eval_list_pairs(r->evaluation, pairs);
    if (!count) return;
    begin_table(&table, "flrr", heading);
    for (size_t i = 0; i < count; i++) {
        cli_table_add(&table, name_of(r, pairs[i].truth));
        cli_table_add(&table, name_of(r, pairs[i].guess));
        add_count(&table, pairs[i].hits);
        add_percent(&table, (double)pairs[i].hits / (double)pairs[i].count);
    }
    printf("\n%sConfused most%s\n", style->bold, style->plain);
    end_table(&table, style);
}

/* Whether probabilities are calibrated: of images predicted with 80 %, 80 % are correct. */
static void print_calibration(const cli_eval_report *r, const cli_style *style)
{
    static const char *const heading[] = {"sure of", "images", "sure on average", "right", NULL};
    const stk_evaluation    *e = r->evaluation;
    const double             over = e->confidence - e->accuracy;
    cli_table                table;
    begin_table(&table, "frrr", heading);
    for (int i = 0; i < e->bin_count; i++) {
        const stk_calibration_bin *b = &e->bins[i];
        char                       text[64];
        if (!b->images) continue;
        snprintf(text, sizeof text, "%g to %g %%", 100 * b->from, 100 * b->to);
        cli_table_add(&table, text);
        add_count(&table, b->images);
        add_percent(&table, b->confidence);
        add_percent(&table, b->accuracy);
    }
    printf(
        "\n%sCalibration%s: expected error (ECE) %.2f %%; it is %.1f %% sure and %.1f %% right%s\n",
        style->bold, style->plain, 100 * e->expected_error, 100 * e->confidence, 100 * e->accuracy,
        fabs(over) < 0.02 ? ""
        : over > 0        ? ": too sure"
                          : ": not sure enough");
    end_table(&table, style);
}

void cli_eval_report_print(const cli_eval_report *report, const cli_style *style)
{
    print_summary(report, style);
    print_classes(report, style);
    print_pairs(report, style);
    cli_eval_matrix_print(report, style);
    print_calibration(report, style);
}
