/* A table of 256 by AVX-512 VBMI: the whole table is four registers, each half one instruction. */
#include "image/ops/lut.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define WITH_VBMI __attribute__((target("avx512f,avx512bw,avx512vbmi")))

enum { STEP = 64 };

typedef struct registers {
    __m512i part[STK_LUT_SIZE / STEP];
} registers;

WITH_VBMI static inline registers load(const uint8_t table[STK_LUT_SIZE])
{
    registers out;
    for (int i = 0; i < STK_LUT_SIZE / STEP; i++)
        out.part[i] = _mm512_loadu_si512(table + STEP * i);
    return out;
}

WITH_VBMI static inline __m512i look_up(const registers *r, __m512i index)
{
    const __m512i low = _mm512_permutex2var_epi8(r->part[0], index, r->part[1]);
    const __m512i high = _mm512_permutex2var_epi8(r->part[2], index, r->part[3]);
    return _mm512_mask_blend_epi8(_mm512_movepi8_mask(index), low, high);
}

WITH_VBMI static void run(uint8_t *data, size_t bytes, const uint8_t table[STK_LUT_SIZE])
{
    const registers r = load(table);
    size_t          i = 0;
    for (; i + STEP <= bytes; i += STEP)
        _mm512_storeu_si512(data + i, look_up(&r, _mm512_loadu_si512(data + i)));
    const __mmask64 rest = ((__mmask64)1 << (bytes - i)) - 1;
    const __m512i   last = _mm512_maskz_loadu_epi8(rest, data + i);
    _mm512_mask_storeu_epi8(data + i, rest, look_up(&r, last));
}

/* Bytes of one channel in registers that begin with it; the next channel is one byte further. */
#define EVERY_THIRD 0x9249249249249249ull

WITH_VBMI static inline __m512i look_up_rgb(const registers r[3], __m512i index, int phase)
{
    const __mmask64 second = EVERY_THIRD << (4 - phase) % 3, third = EVERY_THIRD << (5 - phase) % 3;
    const __m512i   found =
        _mm512_mask_mov_epi8(look_up(&r[0], index), second, look_up(&r[1], index));
    return _mm512_mask_mov_epi8(found, third, look_up(&r[2], index));
}

/* Three registers hold 64 whole pixels; register i begins at channel i * 64 % 3 = i. */
WITH_VBMI static void run_rgb(uint8_t *data, size_t pixels, const uint8_t table[3][STK_LUT_SIZE])
{
    const registers r[3] = {load(table[0]), load(table[1]), load(table[2])};
    size_t          done = 0;
    for (; done + STEP <= pixels; done += STEP, data += 3 * STEP)
        for (int i = 0; i < 3; i++) {
            uint8_t *at = data + STEP * i;
            _mm512_storeu_si512(at, look_up_rgb(r, _mm512_loadu_si512(at), i));
        }
    stk_lut_rgb_plain(data, pixels - done, table);
}

static bool has(void)
{
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi");
}

stk_lut_fn stk_lut_avx512(void)
{
    return has() ? run : NULL;
}

stk_lut_rgb_fn stk_lut_rgb_avx512(void)
{
    return has() ? run_rgb : NULL;
}

#else

stk_lut_fn stk_lut_avx512(void)
{
    return NULL;
}

stk_lut_rgb_fn stk_lut_rgb_avx512(void)
{
    return NULL;
}

#endif
