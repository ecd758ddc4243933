/* 32 bytes a step; the last few go through the plain forms. */
#include "image/jpeg/unstuff.h"

#include <immintrin.h>

enum { STEP = 32 };

__attribute__((target("avx2"))) stk_unstuffed stk_unstuff_avx2(uint8_t *dst, size_t capacity,
                                                               stk_bytes src)
{
    const __m256i ff = _mm256_set1_epi8(-1);
    size_t        read = 0, written = 0;
    while (src.size - read > STEP && capacity - written >= STEP) {
        const __m256i  bytes = _mm256_loadu_si256((const __m256i *)(src.data + read));
        const unsigned found = (unsigned)_mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, ff));
        _mm256_storeu_si256((__m256i *)(dst + written), bytes);
        if (!found) {
            read += STEP;
            written += STEP;
            continue;
        }
        const size_t run = (size_t)__builtin_ctz(found);
        if (src.data[read + run + 1]) return (stk_unstuffed){read + run, written + run, true};
        read += run + 2;
        written += run + 1;
    }
    const stk_unstuffed rest = stk_unstuff_plain(dst + written, capacity - written,
                                                 stk_bytes_of(src.data + read, src.size - read));
    return (stk_unstuffed){read + rest.read, written + rest.written, rest.marker};
}

__attribute__((target("avx2"))) size_t stk_find_marker_avx2(stk_bytes src)
{
    const __m256i ff = _mm256_set1_epi8(-1), zero = _mm256_setzero_si256();
    size_t        at = 0;
    for (; src.size - at > STEP; at += STEP) {
        const __m256i here = _mm256_loadu_si256((const __m256i *)(src.data + at));
        const __m256i next = _mm256_loadu_si256((const __m256i *)(src.data + at + 1));
        const __m256i data =
            _mm256_or_si256(_mm256_cmpeq_epi8(next, zero), _mm256_cmpeq_epi8(next, ff));
        const unsigned found =
            (unsigned)_mm256_movemask_epi8(_mm256_andnot_si256(data, _mm256_cmpeq_epi8(here, ff)));
        if (found) return at + (size_t)__builtin_ctz(found);
    }
    return at + stk_find_marker_plain(stk_bytes_of(src.data + at, src.size - at));
}
