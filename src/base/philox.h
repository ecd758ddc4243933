/* Philox4x32-10: random numbers as a function of (key, counter), so that the numbers of a sample
 * depend on its seed, epoch and index and never on a thread. */
#ifndef STK_BASE_PHILOX_H
#define STK_BASE_PHILOX_H

#include <stdint.h>

typedef struct stk_philox_block {
    uint32_t word[4];
} stk_philox_block;

/* The raw function of the Random123 paper. */
stk_philox_block stk_philox4x32(const uint32_t counter[4], const uint32_t key[2]);

/* A stream of numbers for one (seed, epoch, index). A value: copy it to fork it. */
typedef struct stk_random {
    uint32_t         key[2];
    uint32_t         counter[4];
    stk_philox_block block;
    int              used; /* used words of block */
} stk_random;

/* stream separates the uses of randomness within one sample (crop, flip, ...). */
stk_random stk_random_for(uint64_t seed, uint32_t epoch, uint64_t index, uint32_t stream);
/* The same for another index, copied from an unused stream: cheaper than a new one. */
stk_random stk_random_of(const stk_random *like, uint64_t index);
uint32_t   stk_random_u32(stk_random *random);
uint64_t   stk_random_u64(stk_random *random);
/* Uniform in [0, bound), without bias; bound 0 gives 0. */
uint64_t stk_random_below(stk_random *random, uint64_t bound);
/* Uniform in [0, 1), 24 bits. */
float stk_random_float(stk_random *random);
/* Uniform in [0, 1), 53 bits. */
double stk_random_double(stk_random *random);

#endif
