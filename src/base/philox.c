/* Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", 2011),
 * and numbers drawn from it. */
#include "base/philox.h"

enum { ROUNDS = 10 };

__extension__ typedef unsigned __int128 wide;

stk_philox_block stk_philox4x32(const uint32_t counter[4], const uint32_t key[2])
{
    uint32_t a = counter[0], b = counter[1], c = counter[2], d = counter[3];
    uint32_t k0 = key[0], k1 = key[1];
    for (int i = 0; i < ROUNDS; i++) {
        const uint64_t left = (uint64_t)0xD2511F53u * a, right = (uint64_t)0xCD9E8D57u * c;
        a = (uint32_t)(right >> 32) ^ b ^ k0;
        b = (uint32_t)right;
        c = (uint32_t)(left >> 32) ^ d ^ k1;
        d = (uint32_t)left;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return (stk_philox_block){{a, b, c, d}};
}

/* Seed, epoch, stream, index and position are 224 bits, the counter and key 192: so epoch and
 * stream are first mixed into the seed, and the counter is (position, index) without overlap. */
stk_random stk_random_for(uint64_t seed, uint32_t epoch, uint64_t index, uint32_t stream)
{
    const uint32_t         of_seed[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    const uint32_t         use[4] = {epoch, stream, 0, 0};
    const stk_philox_block key = stk_philox4x32(use, of_seed);
    return (stk_random){.key = {key.word[0], key.word[1]},
                        .counter = {0, 0, (uint32_t)index, (uint32_t)(index >> 32)},
                        .used = 4};
}

stk_random stk_random_of(const stk_random *like, uint64_t index)
{
    stk_random random = *like;
    random.counter[2] = (uint32_t)index;
    random.counter[3] = (uint32_t)(index >> 32);
    return random;
}

uint32_t stk_random_u32(stk_random *random)
{
    if (random->used == 4) {
        random->block = stk_philox4x32(random->counter, random->key);
        random->used = 0;
        if (++random->counter[0] == 0) random->counter[1]++;
    }
    return random->block.word[random->used++];
}

uint64_t stk_random_u64(stk_random *random)
{
    const uint64_t low = stk_random_u32(random);
    return low | (uint64_t)stk_random_u32(random) << 32;
}

/* The high part of number * bound is below bound. Each value has the same number of products once
 * those whose low part falls under 2^n mod bound are drawn again (Lemire, 2019). */
static uint32_t below_u32(stk_random *random, uint32_t bound)
{
    uint64_t product = (uint64_t)stk_random_u32(random) * bound;
    if ((uint32_t)product < bound) {
        const uint32_t excess = -bound % bound;
        while ((uint32_t)product < excess)
            product = (uint64_t)stk_random_u32(random) * bound;
    }
    return (uint32_t)(product >> 32);
}

static uint64_t below_u64(stk_random *random, uint64_t bound)
{
    wide product = (wide)stk_random_u64(random) * bound;
    if ((uint64_t)product < bound) {
        const uint64_t excess = -bound % bound;
        while ((uint64_t)product < excess)
            product = (wide)stk_random_u64(random) * bound;
    }
    return (uint64_t)(product >> 64);
}

uint64_t stk_random_below(stk_random *random, uint64_t bound)
{
    if (bound == 0) return 0;
    return bound <= UINT32_MAX ? below_u32(random, (uint32_t)bound) : below_u64(random, bound);
}

float stk_random_float(stk_random *random)
{
    return (float)(stk_random_u32(random) >> 8) * 0x1p-24f;
}

double stk_random_double(stk_random *random)
{
    return (double)(stk_random_u64(random) >> 11) * 0x1p-53;
}
