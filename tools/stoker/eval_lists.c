/* The worst classes and pairs of an evaluation. */
#include "eval_report.h"

#include <stdlib.h>

static int by_recall(const void *a, const void *b)
{
    const cli_eval_tally *x = a, *y = b;
    const double          left = (double)x->hits * (double)y->count;
    const double          right = (double)y->hits * (double)x->count;
    if (left != right) return left < right ? -1 : 1;
    return (x->truth > y->truth) - (x->truth < y->truth);
}

static int by_hits(const void *a, const void *b)
{
    const cli_eval_tally *x = a, *y = b;
    if (x->hits != y->hits) return x->hits > y->hits ? -1 : 1;
    if (x->truth != y->truth) return x->truth < y->truth ? -1 : 1;
    return (x->guess > y->guess) - (x->guess < y->guess);
}

cli_eval_tally *cli_eval_list_classes(const stk_evaluation *e, size_t *count)
{
    cli_eval_tally *list = calloc((size_t)e->classes, sizeof *list);
    *count = 0;
    for (int64_t i = 0; list && i < e->classes; i++) {
        const stk_class_score *s = &e->scores[i];
        if (s->images) list[(*count)++] = (cli_eval_tally){i, i, s->right, s->images};
    }
    if (list) qsort(list, *count, sizeof *list, by_recall);
    return list;
}

/* Insertion into a sorted list. */
size_t cli_eval_list_pairs(const stk_evaluation *e, cli_eval_tally pairs[CLI_EVAL_PAIRS + 1])
{
    size_t count = 0;
    for (int64_t i = 0; e->confusion && i < e->classes; i++)
        for (int64_t k = 0; k < e->classes; k++) {
            const int64_t hits = e->confusion[i * e->classes + k];
            if (k == i || !hits) continue;
            pairs[count++] = (cli_eval_tally){i, k, hits, e->scores[i].images};
            qsort(pairs, count, sizeof *pairs, by_hits);
            if (count > CLI_EVAL_PAIRS) count = CLI_EVAL_PAIRS;
        }
    return count;
}
