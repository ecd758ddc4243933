/* An endless stream of elements in which all classes appear equally often, with random access by
 * position. Each class cycles through random permutations of its elements; an epoch has the same
 * number of each class, in random order. */
#ifndef STK_BASE_BALANCED_ORDER_H
#define STK_BASE_BALANCED_ORDER_H

#include "base/permutation.h"

#include <stoker/error.h>

typedef struct stk_balance {
    uint64_t *members; /* elements, class by class */
    uint64_t *begin;   /* of a class in members; classes + 1 */
    uint64_t  classes; /* classes with elements */
    uint64_t  each;    /* elements of a class in an epoch */
} stk_balance;

/* Builds the order of count elements with these labels, from 0 to classes - 1 (others are
 * STK_E_RANGE); empty classes are skipped. each is count over the classes, rounded up. On failure
 * *out is empty. */
STK_NODISCARD stk_status stk_balance_init(stk_balance *out, const int64_t *labels, uint64_t count,
                                          int64_t classes, stk_error *err);
void                     stk_balance_release(stk_balance *balance);

static inline uint64_t stk_balance_epoch(const stk_balance *balance)
{
    return balance->classes * balance->each;
}

/* The permutation of an epoch's positions; computed once per epoch. */
stk_permutation stk_balance_order(const stk_balance *balance, uint64_t seed, uint64_t epoch);
/* The element at position (below stk_balance_epoch) of the epoch of this order. */
uint64_t stk_balance_at(const stk_balance *balance, const stk_permutation *order, uint64_t seed,
                        uint64_t epoch, uint64_t position);

#endif
