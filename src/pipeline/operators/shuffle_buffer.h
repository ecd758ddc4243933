/* The shuffle buffer: a ring of elements in arrival order; any of the first few is taken. It may
 * hold several consecutive epochs. */
#ifndef STK_PIPELINE_OPERATORS_SHUFFLE_BUFFER_H
#define STK_PIPELINE_OPERATORS_SHUFFLE_BUFFER_H

#include "base/philox.h"

#include <stoker/blob.h>
#include <stoker/element.h>

enum { STK_DRAWS_AHEAD = 16 }; /* a power of two */

/* Random numbers as a function of (seed, index of the draw). Some are computed ahead, so that the
 * next drawn element can be prefetched into the CPU's cache. */
typedef struct stk_shuffle_rng {
    uint32_t key[2];
    uint64_t at;                      /* draws at ... at + 13 are computed; UINT64_MAX - 1: none */
    uint64_t number[STK_DRAWS_AHEAD]; /* of draw k at k mod the size */
} stk_shuffle_rng;

stk_shuffle_rng stk_shuffle_rng_of(uint64_t seed);
/* Computes the draws from k on. */
void stk_shuffle_rng_make(stk_shuffle_rng *draws, uint64_t k);

/* Draw k, below bound: the high half of a product. For a bound under 2^32 the bias is less than
 * 2^-32, beyond what a run can observe. k must be computed. */
static inline uint64_t stk_shuffle_rng_peek(const stk_shuffle_rng *draws, uint64_t k,
                                            uint64_t bound)
{
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)((wide)draws->number[k % STK_DRAWS_AHEAD] * bound >> 64);
}

/* The same for any k; consecutive ones are fast. */
static inline uint64_t stk_shuffle_rng_below(stk_shuffle_rng *draws, uint64_t k, uint64_t bound)
{
    if (k != draws->at + 1 || k % 2 == 0) stk_shuffle_rng_make(draws, k);
    draws->at = k;
    return stk_shuffle_rng_peek(draws, k, bound);
}

typedef struct stk_shuffle_buffer {
    stk_blob slots; /* of stk_element * */
    uint64_t capacity, start, count;
    uint64_t slots_max;      /* max capacity */
    uint64_t held, reserved; /* bytes of the elements; reserved in larger steps */
} stk_shuffle_buffer;

/* Allocates nothing yet. ledger must outlive it. */
void stk_shuffle_buffer_init(stk_shuffle_buffer *buffer, stk_ledger *ledger, uint64_t slots_max);
void stk_shuffle_buffer_release(stk_shuffle_buffer *buffer);

/* Takes ownership of element, also on failure. The buffer must not be full. */
STK_NODISCARD stk_status stk_shuffle_buffer_push(stk_shuffle_buffer *buffer, stk_element *element,
                                                 stk_error *err);
/* Removes the element at offset (below count) from the front; the first one moves to its slot. */
stk_element *stk_shuffle_buffer_take(stk_shuffle_buffer *buffer, uint64_t offset);

/* Prefetches the slot at offset, or its element, into the CPU's cache. */
void stk_shuffle_buffer_expect_slot(const stk_shuffle_buffer *buffer, uint64_t offset);
void stk_shuffle_buffer_expect(const stk_shuffle_buffer *buffer, uint64_t offset);

/* For filling out of order: reserves count slots in an empty buffer, then sets each. Takes
 * ownership of element, also on failure. All must be set, or the buffer released. */
STK_NODISCARD stk_status stk_shuffle_buffer_open(stk_shuffle_buffer *buffer, uint64_t count,
                                                 stk_error *err);
STK_NODISCARD stk_status stk_shuffle_buffer_set(stk_shuffle_buffer *buffer, uint64_t offset,
                                                stk_element *element, stk_error *err);

#endif
