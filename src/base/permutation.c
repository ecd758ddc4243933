/* A permutation without a table: rounds of keyed multiplication, which carries every bit upwards,
 * and a shift, which brings the upper half down. Each round can be undone on the next power of two,
 * so together they are a permutation. A Feistel network of Philox took eight times as long for an
 * order that no test could tell from this one. */
#include "base/permutation.h"

#include "base/philox.h"

enum { PERMUTATION_STREAM = 0x5045524D /* apart from the streams of samples */ };

/* By tests against true shuffles over thousands of seeds, 6 rounds leave traces in one of some
 * hundred orders (a multiplier near 1 mixes little) and 8 none. With few bits a round has few
 * choices, so that more are needed for all orders to be equally likely. */
enum { ROUNDS = 8, ROUNDS_OF_FEW = STK_PERMUTATION_ROUNDS, FEW_BITS = 10 };

stk_permutation stk_permutation_of(uint64_t count, uint64_t seed, uint32_t epoch)
{
    uint32_t bits = 1;
    while (bits < 64 && count > (uint64_t)1 << bits)
        bits++;
    stk_permutation permutation = {.count = count,
                                   .mask = UINT64_MAX >> (64 - bits),
                                   .shift = (bits + 1) / 2,
                                   .rounds = bits < FEW_BITS ? ROUNDS_OF_FEW : ROUNDS};
    stk_random      random = stk_random_for(seed, epoch, count, PERMUTATION_STREAM);
    for (uint32_t i = 0; i < permutation.rounds; i++) {
        permutation.round[i].factor = stk_random_u64(&random) | 1; /* odd: can be undone */
        permutation.round[i].summand = stk_random_u64(&random);
    }
    return permutation;
}

static uint64_t scramble(const stk_permutation *permutation, uint64_t position)
{
    for (uint32_t i = 0; i < permutation->rounds; i++) {
        position = position * permutation->round[i].factor + permutation->round[i].summand;
        position &= permutation->mask;
        position ^= position >> permutation->shift;
    }
    return position;
}

/* The rounds permute up to twice as many indices as needed. Following them from an index in range
 * until they return to the range is again a permutation of the range. */
uint64_t stk_permutation_at(const stk_permutation *permutation, uint64_t position)
{
    do
        position = scramble(permutation, position);
    while (position >= permutation->count);
    return position;
}
