/* Philox: the authors' known answers, and numbers that are fair and depend on what they should. */
#include "base/philox.h"
#include "harness.h"

#include <math.h>
#include <stdlib.h>

static void expect_block(const uint32_t expected[4], const uint32_t counter[4],
                         const uint32_t key[2])
{
    const stk_philox_block block = stk_philox4x32(counter, key);
    for (int i = 0; i < 4; i++)
        EXPECT_INT_EQ(expected[i], block.word[i]);
}

STK_TEST(philox_gives_the_known_answers_of_random123)
{
    const uint32_t ones = UINT32_MAX;
    expect_block((uint32_t[]){0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
                 (uint32_t[]){0, 0, 0, 0}, (uint32_t[]){0, 0});
    expect_block((uint32_t[]){0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
                 (uint32_t[]){ones, ones, ones, ones}, (uint32_t[]){ones, ones});
    expect_block((uint32_t[]){0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1},
                 (uint32_t[]){0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                 (uint32_t[]){0xa4093822, 0x299f31d0});
}

STK_TEST(a_stream_of_another_index_is_as_if_asked_for)
{
    const stk_random like = stk_random_for(7, 1, 0, 2);
    const uint64_t   index = 5 + ((uint64_t)3 << 32);
    stk_random       expected = stk_random_for(7, 1, index, 2), found = stk_random_of(&like, index);
    for (int i = 0; i < 9; i++)
        EXPECT_INT_EQ(stk_random_u32(&expected), stk_random_u32(&found));
}

STK_TEST(random_stream_repeats_and_every_part_of_its_name_changes_it)
{
    stk_random streams[] = {
        stk_random_for(7, 1, 100, 2),
        stk_random_for(7, 1, 100, 2),
        stk_random_for(8, 1, 100, 2),
        stk_random_for(7, 2, 100, 2),
        stk_random_for(7, 1, 101, 2),
        stk_random_for(7, 1, 100, 3),
        stk_random_for(7, 2, 100, 1),
        stk_random_for(7 + (1ull << 32), 1, 100, 2),
        stk_random_for(7, 1, 100 + (1ull << 32), 2),
    };
    uint64_t first[COUNT_OF(streams)];
    for (size_t i = 0; i < COUNT_OF(streams); i++)
        first[i] = stk_random_u64(&streams[i]);
    EXPECT(first[0] == first[1]);
    for (size_t i = 1; i < COUNT_OF(streams); i++)
        for (size_t j = i + 1; j < COUNT_OF(streams); j++)
            EXPECT(first[i] != first[j]);
}

STK_TEST(random_stream_may_be_forked_by_copying_it)
{
    stk_random a = stk_random_for(1, 2, 3, 4);
    stk_random_u32(&a);
    stk_random b = a;
    for (int i = 0; i < 100; i++)
        EXPECT_INT_EQ(stk_random_u32(&a), stk_random_u32(&b));
}

STK_TEST(random_stream_carries_into_the_second_counter_word)
{
    stk_random a = stk_random_for(1, 2, 3, 4);
    a.counter[0] = UINT32_MAX;
    for (int i = 0; i < 4; i++)
        stk_random_u32(&a);
    EXPECT_INT_EQ(0, a.counter[0]);
    EXPECT_INT_EQ(1, a.counter[1]);
    EXPECT_INT_EQ(3, a.counter[2]);
}

/* Chi-square of 16 equally likely cells: above 45 has odds of about 1 in 10000. */
static void expect_flat(const uint32_t cells[16], double draws)
{
    double chi = 0;
    for (int i = 0; i < 16; i++)
        chi += pow(cells[i] - draws / 16, 2) / (draws / 16);
    if (chi > 45) fail_msg("chi-square %g", chi);
}

STK_TEST(random_bits_are_balanced_in_every_place)
{
    enum { DRAWS = 40000 };
    int        ones[64] = {0};
    stk_random random = stk_random_for(42, 0, 0, 0);
    for (int i = 0; i < DRAWS; i++)
        for (uint64_t bits = stk_random_u64(&random), bit = 0; bit < 64; bit++)
            ones[bit] += bits >> bit & 1;
    for (int bit = 0; bit < 64; bit++)
        EXPECT(abs(ones[bit] - DRAWS / 2) < 500); /* five standard deviations */
}

STK_TEST(neighbouring_samples_have_unrelated_numbers)
{
    enum { DRAWS = 64000 };
    uint32_t cells[16] = {0};
    for (uint64_t index = 0; index < DRAWS; index++) {
        stk_random a = stk_random_for(3, 0, index, 0), b = stk_random_for(3, 0, index + 1, 0);
        cells[stk_random_below(&a, 4) * 4 + stk_random_below(&b, 4)]++;
    }
    expect_flat(cells, DRAWS);
}

STK_TEST(random_below_stays_below_and_is_fair)
{
    enum { DRAWS = 160000 };
    static const uint64_t bounds[] = {
        1, 2, 3, 10, 1u << 31, UINT32_MAX, (1ull << 32) + 1, 3ull << 62, UINT64_MAX};
    for (size_t i = 0; i < COUNT_OF(bounds); i++) {
        stk_random random = stk_random_for(5, 0, i, 0);
        for (int k = 0; k < 2000; k++)
            EXPECT(stk_random_below(&random, bounds[i]) < bounds[i]);
    }
    /* With these bounds a remainder would favour the lower third by a half. */
    static const uint64_t uneven[] = {3ull << 30, 3ull << 62, 48};
    for (size_t i = 0; i < COUNT_OF(uneven); i++) {
        uint32_t   cells[16] = {0};
        stk_random random = stk_random_for(6, 0, i, 0);
        for (int k = 0; k < DRAWS; k++)
            cells[stk_random_below(&random, uneven[i]) / (uneven[i] / 16)]++;
        expect_flat(cells, DRAWS);
    }
    stk_random random = stk_random_for(5, 0, 0, 0);
    EXPECT_INT_EQ(0, stk_random_below(&random, 0));
}

STK_TEST(random_fractions_lie_in_the_unit_interval_evenly)
{
    enum { DRAWS = 160000 };
    uint32_t   of_float[16] = {0}, of_double[16] = {0};
    stk_random random = stk_random_for(9, 0, 0, 0);
    for (int i = 0; i < DRAWS; i++) {
        const float  f = stk_random_float(&random);
        const double d = stk_random_double(&random);
        EXPECT(f >= 0 && f < 1 && d >= 0 && d < 1);
        of_float[(int)(f * 16)]++;
        of_double[(int)(d * 16)]++;
    }
    expect_flat(of_float, DRAWS);
    expect_flat(of_double, DRAWS);
}
