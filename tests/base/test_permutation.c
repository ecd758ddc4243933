/* The permutation hits every place once, differs by seed and epoch, and looks shuffled. */
#include "base/permutation.h"
#include "harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void expect_bijective(uint64_t count, uint64_t seed)
{
    static uint8_t        seen[5000];
    const stk_permutation p = stk_permutation_of(count, seed, 0);
    memset(seen, 0, sizeof seen);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t place = stk_permutation_at(&p, i);
        if (place >= count || seen[place]++) fail_msg("count %d, place %d", (int)count, (int)place);
    }
}

STK_TEST(permutation_of_every_small_count_hits_every_place_once)
{
    for (uint64_t count = 0; count <= 2000; count++)
        expect_bijective(count, count * 77);
    for (uint64_t count = 4095; count <= 4097; count++)
        expect_bijective(count, 1);
}

static int compare_u64(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

STK_TEST(permutation_of_large_counts_gives_distinct_places_in_range)
{
    enum { TAKEN = 20000 };
    static uint64_t       places[TAKEN];
    static const uint64_t counts[] = {1281167,          1u << 24,   (1ull << 32) - 1,
                                      (1ull << 32) + 1, 1ull << 40, (1ull << 62) + 1,
                                      UINT64_MAX};
    for (size_t c = 0; c < COUNT_OF(counts); c++) {
        const stk_permutation p = stk_permutation_of(counts[c], 11, 3);
        for (uint64_t i = 0; i < TAKEN; i++) {
            places[i] = stk_permutation_at(&p, i % 2 ? i : counts[c] - 1 - i);
            EXPECT(places[i] < counts[c]);
        }
        qsort(places, TAKEN, sizeof places[0], compare_u64);
        for (int i = 1; i < TAKEN; i++)
            EXPECT(places[i - 1] != places[i]);
    }
}

static int agreements(stk_permutation a, stk_permutation b)
{
    int same = 0;
    for (uint64_t i = 0; i < a.count; i++)
        same += stk_permutation_at(&a, i) == stk_permutation_at(&b, i);
    return same;
}

STK_TEST(permutation_is_a_function_of_count_seed_and_epoch)
{
    const stk_permutation p = stk_permutation_of(1000, 5, 1);
    EXPECT_INT_EQ(1000, agreements(p, stk_permutation_of(1000, 5, 1)));
    EXPECT(agreements(p, stk_permutation_of(1000, 5, 2)) < 20);
    EXPECT(agreements(p, stk_permutation_of(1000, 6, 1)) < 20);
    EXPECT(agreements(p, stk_permutation_of(1000, 5 + (1ull << 32), 1)) < 20);
}

STK_TEST(permutation_leaves_no_trace_of_the_order_it_began_with)
{
    enum { COUNT = 50000 };
    const stk_permutation p = stk_permutation_of(COUNT, 1, 0);
    double                product = 0, ascents = 0, fixed = 0, near = 0;
    uint64_t              last = 0;
    for (uint64_t i = 0; i < COUNT; i++) {
        const uint64_t place = stk_permutation_at(&p, i);
        product += ((double)i - COUNT / 2.0) * ((double)place - COUNT / 2.0);
        ascents += i && place > last;
        fixed += place == i;
        near += i && llabs((int64_t)(place - last)) <= COUNT / 100;
        last = place;
    }
    const double correlation = product / (pow(COUNT, 3) / 12);
    EXPECT(fabs(correlation) < 5 / sqrt(COUNT));
    EXPECT(fabs(ascents - COUNT / 2.0) < 5 * sqrt(COUNT / 12.0));
    EXPECT(fixed < 12);
    EXPECT(fabs(near - COUNT * 0.0199) < 5 * sqrt(COUNT * 0.02));
}

/* Every first place and every pair of first places equally often over the seeds. */
STK_TEST(small_permutations_are_fair_over_the_seeds)
{
    enum { SEEDS = 30000 };
    static const uint64_t counts[] = {2, 3, 5, 10};
    for (size_t c = 0; c < COUNT_OF(counts); c++) {
        const uint64_t count = counts[c];
        int            pairs[10][10] = {{0}};
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            const stk_permutation p = stk_permutation_of(count, seed, 0);
            pairs[stk_permutation_at(&p, 0)][stk_permutation_at(&p, 1)]++;
        }
        const double expected = SEEDS / (double)(count * (count - 1));
        for (uint64_t a = 0; a < count; a++)
            for (uint64_t b = 0; b < count; b++)
                if (a != b && fabs(pairs[a][b] - expected) > 5 * sqrt(expected) + expected / 50)
                    fail_msg("count %d: (%d,%d) came %d times, not %g", (int)count, (int)a, (int)b,
                             pairs[a][b], expected);
    }
}

/* How far a chi-square statistic lies from its mean, in standard deviations. */
static double excess(const double *seen, int cells, double expected, double freedom)
{
    double sum = 0;
    for (int i = 0; i < cells; i++)
        sum += (seen[i] - expected) * (seen[i] - expected) / expected;
    return (sum - freedom) / sqrt(2 * freedom);
}

STK_TEST(all_orders_of_four_and_five_come_equally_often)
{
    enum { SEEDS = 60000, CODES = 5 * 5 * 5 * 5 };
    for (uint64_t count = 4; count <= 5; count++) {
        static double seen[CODES], orders[120];
        int           found = 0;
        memset(seen, 0, sizeof seen);
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            const stk_permutation p = stk_permutation_of(count, seed, 7);
            int                   code = 0;
            for (uint64_t i = 0; i < 4; i++)
                code = code * 5 + (int)stk_permutation_at(&p, i);
            seen[code]++;
        }
        for (int code = 0; code < CODES; code++)
            if (seen[code] > 0) orders[found++] = seen[code];
        EXPECT_INT_EQ(count == 4 ? 24 : 120, found);
        EXPECT(fabs(excess(orders, found, SEEDS / (double)found, found - 1)) < 5);
    }
}

enum { CELLS = 16, CLASSES = 10, LARGEST_TESTED = 8193 };

/* The distances that a source sorted by class, and the bits of the mix, would show first. */
static void expect_shuffled(uint64_t count, uint64_t seed, double *sum_of_squares)
{
    static uint64_t       place[LARGEST_TESTED];
    const stk_permutation p = stk_permutation_of(count, seed, 0);
    uint64_t              power = 1;
    while (power * 2 < count)
        power *= 2;
    for (uint64_t i = 0; i < count; i++)
        place[i] = stk_permutation_at(&p, i);
    const uint64_t lags[] = {1, 2, count / CLASSES, power / 2, power};
    for (size_t l = 0; l < COUNT_OF(lags); l++) {
        double differences[CELLS] = {0}, same_class = 0;
        for (uint64_t i = 0; i < count; i++) {
            const uint64_t other = place[(i + lags[l]) % count];
            differences[(other + count - place[i]) % count * CELLS / count]++;
            same_class += place[i] * CLASSES / count == other * CLASSES / count;
        }
        const double cells = excess(differences, CELLS, (double)count / CELLS, CELLS - 1);
        const double classes =
            (same_class - (double)count / CLASSES) / sqrt((double)count * 0.1 * 0.9);
        if (cells > 9 || fabs(classes) > 6)
            fail_msg("count %d, seed %d, distance %d: %g, %g", (int)count, (int)seed, (int)lags[l],
                     cells, classes);
        sum_of_squares[0] += cells * cells / COUNT_OF(lags);
        sum_of_squares[1] += classes * classes / COUNT_OF(lags);
    }
    double grid[CELLS * CELLS] = {0};
    for (uint64_t i = 0; i < count; i++)
        grid[i * CELLS / count * CELLS + place[i] * CELLS / count]++;
    const double placed =
        excess(grid, CELLS * CELLS, (double)count / (CELLS * CELLS), (CELLS - 1) * (CELLS - 1));
    sum_of_squares[2] += placed * placed;
}

/* Each statistic varies by one standard deviation, as that of a true shuffle does: not more, and
 * not less either. */
STK_TEST(shuffles_of_many_sizes_and_seeds_vary_as_true_shuffles_do)
{
    enum { SEEDS = 300 };
    static const uint64_t counts[] = {1000, 1024, 1025, 3000, 4096, 8192, LARGEST_TESTED};
    for (size_t c = 0; c < COUNT_OF(counts); c++) {
        double sum_of_squares[3] = {0};
        for (uint64_t seed = 0; seed < SEEDS; seed++)
            expect_shuffled(counts[c], seed * 7919, sum_of_squares);
        for (int i = 0; i < 3; i++) {
            const double variance = sum_of_squares[i] / SEEDS;
            if (variance < 0.65 || variance > 1.45)
                fail_msg("count %d: statistic %d varies by %g", (int)counts[c], i, variance);
        }
    }
}
