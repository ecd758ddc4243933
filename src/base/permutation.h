/* A seeded permutation of [0, count) in O(1) memory: a mix of the next power of two, walked until
 * it lands inside. Any position can be computed alone. Not cryptographic. */
#ifndef STK_BASE_PERMUTATION_H
#define STK_BASE_PERMUTATION_H

#include <stdint.h>

enum { STK_PERMUTATION_ROUNDS = 16 }; /* at most */

typedef struct stk_permutation {
    uint64_t count;
    uint64_t mask; /* the power of two less one */
    uint32_t shift, rounds;
    struct {
        uint64_t factor, summand;
    } round[STK_PERMUTATION_ROUNDS]; /* the keys */
} stk_permutation;

/* The same (count, seed, epoch) always gives the same order. */
stk_permutation stk_permutation_of(uint64_t count, uint64_t seed, uint32_t epoch);

/* The image of position, which must be below count. */
uint64_t stk_permutation_at(const stk_permutation *permutation, uint64_t position);

#endif
