/* Every class equally often. */
#include "base/balanced_order.h"
#include "base/hash.h"

#include <inttypes.h>
#include <stdlib.h>

enum { FOR_ORDER = 1, FOR_CLASSES };

static stk_status count_labels(uint64_t *counts, const int64_t *labels, uint64_t count,
                               int64_t classes, stk_error *err)
{
    for (uint64_t i = 0; i < count; i++) {
        if (labels[i] < 0 || labels[i] >= classes)
            return stk_fail(err, STK_E_RANGE, "balance", NULL,
                            "the label of element %" PRIu64 " is %" PRId64 ", but there are "
                            "%" PRId64 " classes, from 0",
                            i, labels[i], classes);
        counts[labels[i]]++;
    }
    return STK_OK;
}

/* Counts become where the next member of a class goes; begin has where each class that has members
 * begins. */
static void lay_out(stk_balance *b, uint64_t *counts, int64_t classes)
{
    uint64_t at = 0;
    for (int64_t c = 0; c < classes; c++) {
        const uint64_t members = counts[c];
        counts[c] = at;
        if (members) b->begin[b->classes++] = at;
        at += members;
    }
    b->begin[b->classes] = at;
}

static stk_status fill(stk_balance *b, uint64_t *counts, const int64_t *labels, uint64_t count,
                       int64_t classes, stk_error *err)
{
    STK_TRY(count_labels(counts, labels, count, classes, err));
    lay_out(b, counts, classes);
    for (uint64_t i = 0; i < count; i++)
        b->members[counts[labels[i]]++] = i;
    b->each = b->classes ? (count + b->classes - 1) / b->classes : 0;
    return STK_OK;
}

stk_status stk_balance_init(stk_balance *out, const int64_t *labels, uint64_t count,
                            int64_t classes, stk_error *err)
{
    *out = (stk_balance){.members = calloc(count + 1, sizeof *out->members),
                         .begin = calloc((size_t)classes + 1, sizeof *out->begin)};
    uint64_t  *counts = calloc((size_t)classes + 1, sizeof *counts);
    stk_status st = out->members && out->begin && counts
                        ? fill(out, counts, labels, count, classes, err)
                        : stk_fail(err, STK_E_NOMEM, "balance", NULL,
                                   "no memory for the labels of %" PRIu64 " elements", count);
    free(counts);
    if (st) stk_balance_release(out);
    return st;
}

void stk_balance_release(stk_balance *balance)
{
    free(balance->members);
    free(balance->begin);
    *balance = (stk_balance){0};
}

stk_permutation stk_balance_order(const stk_balance *balance, uint64_t seed, uint64_t epoch)
{
    return stk_permutation_of(stk_balance_epoch(balance), stk_hash64_number(seed, FOR_ORDER),
                              (uint32_t)epoch);
}

uint64_t stk_balance_at(const stk_balance *balance, const stk_permutation *order, uint64_t seed,
                        uint64_t epoch, uint64_t position)
{
    const uint64_t        drawn = stk_permutation_at(order, position);
    const uint64_t        class_ = drawn % balance->classes, begin = balance->begin[class_];
    const uint64_t        members = balance->begin[class_ + 1] - begin;
    const uint64_t        nth = epoch * balance->each + drawn / balance->classes;
    const stk_permutation own =
        stk_permutation_of(members, stk_hash64_number(stk_hash64_number(seed, FOR_CLASSES), class_),
                           (uint32_t)(nth / members));
    return balance->members[begin + stk_permutation_at(&own, nth % members)];
}
