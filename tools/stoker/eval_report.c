/* An evaluation, for people and as JSON. */
#include "eval_report.h"

#include "format.h"
#include "table.h"
#include "text.h"

#include <stdlib.h>

enum { CLASSES_SHOWN = 20, PAIRS_SHOWN = 10, ABSENT_SHOWN = 8 };

/* A class, or a pair of classes: how many of count pictures. */
typedef struct tally {
    int64_t truth, guess, hits, count;
} tally;

static int64_t cell(const stk_evaluation *e, int64_t truth, int64_t guess)
{
    return e->confusion[truth * e->classes + guess];
}

static int64_t pictures_of(const stk_evaluation *e, int64_t truth)
{
    int64_t count = 0;
    for (int64_t i = 0; i < e->classes; i++)
        count += cell(e, truth, i);
    return count;
}

static int by_accuracy(const void *a, const void *b)
{
    const tally *x = a, *y = b;
    const double left = (double)x->hits * (double)y->count;
    const double right = (double)y->hits * (double)x->count;
    if (left != right) return left < right ? -1 : 1;
    return (x->truth > y->truth) - (x->truth < y->truth);
}

static int by_hits(const void *a, const void *b)
{
    const tally *x = a, *y = b;
    if (x->hits != y->hits) return x->hits > y->hits ? -1 : 1;
    if (x->truth != y->truth) return x->truth < y->truth ? -1 : 1;
    return (x->guess > y->guess) - (x->guess < y->guess);
}

/* Classes that have pictures, worst first. NULL when there is no memory or no confusion. */
static tally *list_classes(const stk_evaluation *e, size_t *count)
{
    tally *list = e->confusion ? calloc((size_t)e->classes, sizeof *list) : NULL;
    *count = 0;
    for (int64_t i = 0; list && i < e->classes; i++) {
        const int64_t pictures = pictures_of(e, i);
        if (pictures) list[(*count)++] = (tally){i, i, cell(e, i, i), pictures};
    }
    if (list) qsort(list, *count, sizeof *list, by_accuracy);
    return list;
}

/* The pairs that are confused most, at most PAIRS_SHOWN: kept sorted while looking. */
static size_t list_pairs(const stk_evaluation *e, tally pairs[PAIRS_SHOWN + 1])
{
    size_t count = 0;
    for (int64_t i = 0; e->confusion && i < e->classes; i++) {
        const int64_t pictures = pictures_of(e, i);
        for (int64_t k = 0; k < e->classes; k++) {
            if (k == i || !cell(e, i, k)) continue;
            pairs[count++] = (tally){i, k, cell(e, i, k), pictures};
            qsort(pairs, count, sizeof *pairs, by_hits);
            if (count > PAIRS_SHOWN) count = PAIRS_SHOWN;
        }
    }
    return count;
}

static void add_count(stk_table *table, int64_t count)
{
    char text[STK_FORMAT_ROOM];
    stk_table_add(table, stk_format_count(text, (uint64_t)count));
}

static void add_share(stk_table *table, const tally *t)
{
    char text[32];
    snprintf(text, sizeof text, "%.1f %%", 100 * (double)t->hits / (double)t->count);
    stk_table_add(table, text);
}

static void print_classes(const stk_eval_report *r, const stk_style *style)
{
    static const char *const heading[] = {"class", "pictures", "right"};
    stk_table                table;
    size_t                   count;
    tally                   *list = list_classes(r->evaluation, &count);
    if (!list) return;
    stk_table_init(&table, "frr");
    for (size_t i = 0; i < sizeof heading / sizeof *heading; i++)
        stk_table_add(&table, heading[i]);
    for (size_t i = 0; i < count && i < CLASSES_SHOWN; i++) {
        stk_table_add(&table, stk_predictor_class_name(r->predictor, list[i].truth));
        add_count(&table, list[i].count);
        add_share(&table, &list[i]);
    }
    printf("\n%sClasses%s, worst first", style->bold, style->plain);
    if (count > CLASSES_SHOWN) printf("; %d of %zu", CLASSES_SHOWN, count);
    printf("\n");
    stk_table_print(&table, stdout, style);
    stk_table_release(&table);
    free(list);
}

static void print_pairs(const stk_eval_report *r, const stk_style *style)
{
    static const char *const heading[] = {"it is", "taken for", "pictures", "of the class"};
    stk_table                table;
    tally                    pairs[PAIRS_SHOWN + 1];
    const size_t             count = list_pairs(r->evaluation, pairs);
    if (!count) return;
    stk_table_init(&table, "flrr");
    for (size_t i = 0; i < sizeof heading / sizeof *heading; i++)
        stk_table_add(&table, heading[i]);
    for (size_t i = 0; i < count; i++) {
        stk_table_add(&table, stk_predictor_class_name(r->predictor, pairs[i].truth));
        stk_table_add(&table, stk_predictor_class_name(r->predictor, pairs[i].guess));
        add_count(&table, pairs[i].hits);
        add_share(&table, &pairs[i]);
    }
    printf("\n%sConfused most%s\n", style->bold, style->plain);
    stk_table_print(&table, stdout, style);
    stk_table_release(&table);
}

static void print_split(const stk_evaluation *e)
{
    if (e->held_back)
        printf(" (held back of %s)", e->split);
    else if (e->splits != 1)
        printf(" (split %s)", e->split);
}

/* Classes of the run without an image say nothing of it: which, as far as they fit. */
static void print_subset(const stk_eval_report *r)
{
    const stk_evaluation *e = r->evaluation;
    int                   shown = 0;
    if (e->present == e->classes) return;
    printf("  these are of %lld of the run's %lld classes; there are none of ",
           (long long)e->present, (long long)e->classes);
    for (int64_t i = 0; i < e->classes && shown < ABSENT_SHOWN; i++) {
        if (e->scores[i].images) continue;
        printf("%s", shown++ ? ", " : "");
        stk_text_print(stdout, stk_predictor_class_name(r->predictor, i));
    }
    printf("%s\n", e->classes - e->present > shown ? ", ..." : "");
}

void stk_eval_report_print(const stk_eval_report *report, const stk_style *style)
{
    const stk_evaluation *e = report->evaluation;
    char                  a[STK_FORMAT_ROOM], b[STK_FORMAT_ROOM];
    printf("%s%.2f %%%s right", style->bold, 100 * e->accuracy, style->plain);
    if (e->classes > 5) printf(", %.2f %% among the first 5", 100 * e->top5);
    printf(", loss %.4f\n  %s pictures of ", e->loss, stk_format_count(a, (uint64_t)e->count));
    stk_text_print(stdout, report->data);
    print_split(e);
    printf(", %s img/s\n", stk_format_count(b, (uint64_t)(e->images_per_second + 0.5)));
    print_subset(report);
    print_classes(report, style);
    print_pairs(report, style);
}

static void write_classes(stk_json_writer *json, const stk_eval_report *r)
{
    size_t count;
    tally *list = list_classes(r->evaluation, &count);
    stk_json_key(json, "classes");
    stk_json_array(json);
    for (size_t i = 0; i < count; i++) {
        stk_json_object(json);
        stk_json_pair_string(json, "class", stk_predictor_class_name(r->predictor, list[i].truth));
        stk_json_pair_int(json, "index", list[i].truth);
        stk_json_pair_int(json, "pictures", list[i].count);
        stk_json_pair_int(json, "right", list[i].hits);
        stk_json_object_end(json);
    }
    stk_json_array_end(json);
    free(list);
}

static void write_pairs(stk_json_writer *json, const stk_eval_report *r)
{
    tally        pairs[PAIRS_SHOWN + 1];
    const size_t count = list_pairs(r->evaluation, pairs);
    stk_json_key(json, "confused");
    stk_json_array(json);
    for (size_t i = 0; i < count; i++) {
        stk_json_object(json);
        stk_json_pair_string(json, "class", stk_predictor_class_name(r->predictor, pairs[i].truth));
        stk_json_pair_string(json, "taken_for",
                             stk_predictor_class_name(r->predictor, pairs[i].guess));
        stk_json_pair_int(json, "pictures", pairs[i].hits);
        stk_json_object_end(json);
    }
    stk_json_array_end(json);
}

void stk_eval_report_json(stk_json_writer *json, const stk_eval_report *report)
{
    const stk_evaluation *e = report->evaluation;
    stk_json_object(json);
    stk_json_pair_string(json, "run", report->run);
    stk_json_pair_string(json, "data", report->data);
    stk_json_pair_string(json, "split", e->split);
    stk_json_pair_bool(json, "held_back", e->held_back);
    stk_json_pair_string(json, "classes_by", e->matched == STK_CLASSES_BY_NAME ? "name" : "index");
    stk_json_pair_int(json, "classes_of_run", e->classes);
    stk_json_pair_int(json, "classes_present", e->present);
    stk_json_pair_int(json, "count", e->count);
    stk_json_pair_double(json, "loss", e->loss);
    stk_json_pair_double(json, "accuracy", e->accuracy);
    stk_json_pair_double(json, "top5", e->top5);
    stk_json_pair_double(json, "seconds", e->seconds);
    stk_json_pair_double(json, "images_per_s", e->images_per_second);
    write_classes(json, report);
    write_pairs(json, report);
    stk_json_object_end(json);
}
