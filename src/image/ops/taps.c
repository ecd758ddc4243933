/* Weighted sums of rows in plain C, and the choice of the kernel. */
#include "image/ops/taps.h"

void stk_taps_weigh_plain(int16_t *dst, size_t count, const stk_taps *taps, int shift)
{
    for (size_t x = 0; x < count; x++) {
        int32_t total = 1 << (shift - 1);
        for (int i = 0; i < taps->count; i++)
            total += taps->weight[i] * (taps->before[i][x] + taps->after[i][x]);
        dst[x] = (int16_t)(total >> shift);
    }
}

void stk_taps_weigh(int16_t *dst, size_t count, const stk_taps *taps, int shift)
{
    stk_taps_fn fast = stk_taps_weigh_avx512();
    if (!fast) fast = stk_taps_weigh_avx2();
    (fast ? fast : stk_taps_weigh_plain)(dst, count, taps, shift);
}
