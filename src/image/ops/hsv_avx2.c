/* Turning hues by AVX2, eight pixels at a time: hsv.c's arithmetic, step by step, without FMA,
 * which would round elsewhere. */
#include "image/ops/hsv.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define WITH_AVX2 __attribute__((target("avx2")))

enum { PIXELS = 8, SLACK = 2 };

/* Of eight pixels, a channel (or hue, saturation, value) in each. */
typedef struct eight {
    __m256i first, second, third;
} eight;

WITH_AVX2 static inline __m256i choose(__m256i mask, __m256i yes, __m256i no)
{
    return _mm256_blendv_epi8(no, yes, mask);
}

/* Reads 4 bytes past the eight, hence the slack. */
WITH_AVX2 static inline eight load(const uint8_t *rgb)
{
    const __m256i in =
        _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)rgb)),
                                _mm_loadu_si128((const __m128i *)(rgb + 12)), 1);
    const __m256i first = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, -1, -1, -1, 3, -1, -1, -1, 6, -1, -1, -1, 9, -1, -1, -1));
    const __m256i one = _mm256_set1_epi32(1);
    return (eight){_mm256_shuffle_epi8(in, first),
                   _mm256_shuffle_epi8(in, _mm256_add_epi32(first, one)),
                   _mm256_shuffle_epi8(in, _mm256_add_epi32(first, _mm256_slli_epi32(one, 1)))};
}

WITH_AVX2 static inline void store(uint8_t *rgb, eight e)
{
    const __m256i packed = _mm256_or_si256(
        e.first, _mm256_or_si256(_mm256_slli_epi32(e.second, 8), _mm256_slli_epi32(e.third, 16)));
    const __m256i dense =
        _mm256_shuffle_epi8(packed, _mm256_broadcastsi128_si256(_mm_setr_epi8(
                                        0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1)));
    const __m128i high = _mm256_extracti128_si256(dense, 1);
    _mm_storeu_si128((__m128i *)rgb, _mm256_castsi256_si128(dense));
    _mm_storel_epi64((__m128i *)(rgb + 12), high);
    _mm_storeu_si32(rgb + 20, _mm_srli_si128(high, 8));
}

WITH_AVX2 static inline __m128i hue_of_four(__m128i base, __m128 next, __m128 last)
{
    const __m256d sum = _mm256_add_pd(_mm256_cvtepi32_pd(base), _mm256_cvtps_pd(next));
    const __m128  around = _mm256_cvtpd_ps(_mm256_sub_pd(sum, _mm256_cvtps_pd(last)));
    const __m256d sixth = _mm256_div_pd(_mm256_cvtps_pd(around), _mm256_set1_pd(6));
    const __m256d past_one = _mm256_add_pd(sixth, _mm256_set1_pd(1));
    const __m256d floor = _mm256_floor_pd(past_one);
    const __m128  hue = _mm256_cvtpd_ps(_mm256_sub_pd(past_one, floor));
    return _mm256_cvttpd_epi32(_mm256_mul_pd(_mm256_cvtps_pd(hue), _mm256_set1_pd(255)));
}

WITH_AVX2 static inline __m256i hue_of(__m256i base, __m256 next, __m256 last)
{
    const __m128i low = hue_of_four(_mm256_castsi256_si128(base), _mm256_castps256_ps128(next),
                                    _mm256_castps256_ps128(last));
    const __m128i high =
        hue_of_four(_mm256_extracti128_si256(base, 1), _mm256_extractf128_ps(next, 1),
                    _mm256_extractf128_ps(last, 1));
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

WITH_AVX2 static inline __m256 fraction(__m256i part, __m256i of)
{
    return _mm256_div_ps(_mm256_cvtepi32_ps(part),
                         _mm256_cvtepi32_ps(_mm256_max_epi32(of, _mm256_set1_epi32(1))));
}

WITH_AVX2 static inline eight from_rgb(eight e)
{
    const __m256i r = e.first, g = e.second, b = e.third;
    const __m256i max = _mm256_max_epi32(r, _mm256_max_epi32(g, b));
    const __m256i spread = _mm256_sub_epi32(max, _mm256_min_epi32(r, _mm256_min_epi32(g, b)));
    const __m256i is_r = _mm256_cmpeq_epi32(r, max), is_g = _mm256_cmpeq_epi32(g, max);
    const __m256i base =
        _mm256_andnot_si256(is_r, choose(is_g, _mm256_set1_epi32(2), _mm256_set1_epi32(4)));
    const __m256i next = choose(is_r, b, choose(is_g, r, g));
    const __m256i last = choose(is_r, g, choose(is_g, b, r));
    const __m256  saturation = _mm256_mul_ps(fraction(spread, max), _mm256_set1_ps(255));
    return (eight){hue_of(base, fraction(_mm256_sub_epi32(max, next), spread),
                          fraction(_mm256_sub_epi32(max, last), spread)),
                   _mm256_cvttps_epi32(saturation), max};
}

/* value * (1 - taken), rounded */
WITH_AVX2 static inline __m256i left_of(__m256 value, __m256 taken)
{
    const __m256 left = _mm256_mul_ps(value, _mm256_sub_ps(_mm256_set1_ps(1), taken));
    return _mm256_cvttps_epi32(_mm256_add_ps(left, _mm256_set1_ps(0.5f)));
}

WITH_AVX2 static inline __m256i is(__m256i sector, int number)
{
    return _mm256_cmpeq_epi32(sector, _mm256_set1_epi32(number));
}

/* sixths / 255 is a multiplication, exact up to 6 * 255; sector 6 is sector 0. */
WITH_AVX2 static inline eight to_rgb(eight e)
{
    const __m256i sixths = _mm256_mullo_epi16(e.first, _mm256_set1_epi32(6));
    const __m256i sector = _mm256_srli_epi32(
        _mm256_mullo_epi32(_mm256_add_epi32(sixths, _mm256_set1_epi32(1)), _mm256_set1_epi32(257)),
        16);
    const __m256i rest =
        _mm256_sub_epi32(sixths, _mm256_mullo_epi16(sector, _mm256_set1_epi32(255)));
    const __m256i all = _mm256_set1_epi32(255), full = e.third;
    const __m256  along = fraction(rest, all), saturation = fraction(e.second, all);
    const __m256  value = _mm256_cvtepi32_ps(full);
    const __m256i low = left_of(value, saturation);
    const __m256i falling = left_of(value, _mm256_mul_ps(saturation, along));
    const __m256i rising =
        left_of(value, _mm256_mul_ps(saturation, _mm256_sub_ps(_mm256_set1_ps(1), along)));
    const __m256i in0 = _mm256_or_si256(is(sector, 0), is(sector, 6)), in1 = is(sector, 1);
    const __m256i in2 = is(sector, 2), in3 = is(sector, 3), in4 = is(sector, 4),
                  in5 = is(sector, 5);
    const __m256i r = choose(_mm256_or_si256(in0, in5), full, choose(in4, rising, low));
    const __m256i g = choose(_mm256_or_si256(in1, in2), full, choose(in0, rising, low));
    const __m256i b = choose(_mm256_or_si256(in3, in4), full, choose(in2, rising, low));
    return (eight){choose(in1, falling, r), choose(in3, falling, g), choose(in5, falling, b)};
}

WITH_AVX2 static void run(uint8_t *rgb, size_t pixels, uint8_t steps)
{
    const __m256i turn = _mm256_set1_epi32(steps), around = _mm256_set1_epi32(255);
    for (; pixels >= PIXELS + SLACK; pixels -= PIXELS, rgb += 3 * PIXELS) {
        eight e = from_rgb(load(rgb));
        e.first = _mm256_and_si256(_mm256_add_epi32(e.first, turn), around);
        store(rgb, to_rgb(e));
    }
    stk_hsv_turn_plain(rgb, pixels, steps);
}

stk_hsv_fn stk_hsv_turn_avx2(void)
{
    return __builtin_cpu_supports("avx2") ? run : NULL;
}

#else

stk_hsv_fn stk_hsv_turn_avx2(void)
{
    return NULL;
}

#endif
