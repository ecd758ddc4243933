/* Holding back by class. Items are counted as if they lay class by class: a table whose rows go
 * round the classes would give all of one class if they were counted as they come. */
#include "storage/source/holdout.h"

#include <stdlib.h>

/* Classes are counted from -1, which has what has no label. */
typedef struct tally {
    const stk_source *source;
    size_t            split;
    int64_t           classes;
    uint64_t         *next; /* position of the next item of each class in the order of classes */
} tally;

static bool is_mine(const tally *t, uint64_t index, int64_t *label)
{
    stk_source_item item;
    stk_source_item_at(t->source, index, &item);
    *label = item.label + 1;
    return item.split == t->split;
}

static stk_status make(tally *t, stk_error *err)
{
    int64_t label;
    for (uint64_t i = 0; i < stk_source_count(t->source); i++)
        if (is_mine(t, i, &label) && label >= t->classes) t->classes = label + 1;
    t->next = calloc((size_t)t->classes + 1, sizeof *t->next);
    return t->next ? STK_OK : stk_fail(err, STK_E_NOMEM, "source", NULL, "no memory for classes");
}

/* From numbers of items to where the first of each class lies; a lone item lies nowhere. */
static void order_classes(tally *t)
{
    uint64_t begin = 0;
    for (int64_t c = 0; c < t->classes; c++) {
        const uint64_t items = t->next[c];
        t->next[c] = items > 1 ? begin : UINT64_MAX;
        begin += items > 1 ? items : 0;
    }
}

static void count_items(tally *t)
{
    int64_t label;
    for (uint64_t i = 0; i < stk_source_count(t->source); i++)
        if (is_mine(t, i, &label)) t->next[label]++;
}

stk_status stk_source_holdout(const stk_source *source, size_t split, int64_t every, uint8_t *held,
                              uint64_t *count, stk_error *err)
{
    tally   t = {.source = source, .split = split};
    int64_t label;
    *count = 0;
    STK_TRY(make(&t, err));
    count_items(&t);
    order_classes(&t);
    for (uint64_t i = 0; i < stk_source_count(source); i++) {
        const bool mine = is_mine(&t, i, &label) && t.next[label] != UINT64_MAX;
        const bool hold = mine && t.next[label]++ % (uint64_t)every == (uint64_t)every - 1;
        if (held) held[i] = hold;
        *count += hold;
    }
    free(t.next);
    return STK_OK;
}
