/* Weighted sums of rows: one pass of a symmetric separable filter, along either axis. */
#ifndef STK_IMAGE_OPS_TAPS_H
#define STK_IMAGE_OPS_TAPS_H

#include <stddef.h>
#include <stdint.h>

enum { STK_TAPS_HALF = 64, STK_TAPS_BITS = 14 };

typedef struct stk_taps {
    int            count; /* 1 to STK_TAPS_HALF + 1 */
    const int16_t *before[STK_TAPS_HALF + 1], *after[STK_TAPS_HALF + 1];
    int16_t        weight[STK_TAPS_HALF + 1];
} stk_taps;

/* dst[x] = sum of weight[i] * (before[i][x] + after[i][x]), rounded, >> shift. The sums of two fit
 * int16, the total int32 and the result int16. dst overlaps no row. */
void stk_taps_weigh(int16_t *dst, size_t count, const stk_taps *taps, int shift);

/* Each implementation by itself, for tests and benchmarks. NULL where the processor lacks it. */
typedef void (*stk_taps_fn)(int16_t *dst, size_t count, const stk_taps *taps, int shift);
void        stk_taps_weigh_plain(int16_t *dst, size_t count, const stk_taps *taps, int shift);
stk_taps_fn stk_taps_weigh_avx2(void);
stk_taps_fn stk_taps_weigh_avx512(void);

#endif
