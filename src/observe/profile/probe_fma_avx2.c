/* The same for AVX2. Each chain is a variable: an array would be kept in memory. */
#ifdef __x86_64__
#include "observe/profile/probe.h"

#include <immintrin.h>

enum { CHAINS = 12, LANES = 8, ROUNDS = 1 << 17 };

__attribute__((target("avx2,fma"))) double stk_probe_fma_avx2(void)
{
    const __m256 factor = _mm256_set1_ps(0.999f), more = _mm256_set1_ps(0.001f);
    __m256 a = more, b = more, c = more, d = more, e = more, f = more, g = more, h = more, i = more,
           j = more, k = more, l = more;
    for (int n = 0; n < ROUNDS; n++) {
        a = _mm256_fmadd_ps(a, factor, more);
        b = _mm256_fmadd_ps(b, factor, more);
        c = _mm256_fmadd_ps(c, factor, more);
        d = _mm256_fmadd_ps(d, factor, more);
        e = _mm256_fmadd_ps(e, factor, more);
        f = _mm256_fmadd_ps(f, factor, more);
        g = _mm256_fmadd_ps(g, factor, more);
        h = _mm256_fmadd_ps(h, factor, more);
        i = _mm256_fmadd_ps(i, factor, more);
        j = _mm256_fmadd_ps(j, factor, more);
        k = _mm256_fmadd_ps(k, factor, more);
        l = _mm256_fmadd_ps(l, factor, more);
        __asm__ volatile("" : "+x"(a), "+x"(b), "+x"(c), "+x"(d), "+x"(e), "+x"(f));
        __asm__ volatile("" : "+x"(g), "+x"(h), "+x"(i), "+x"(j), "+x"(k), "+x"(l));
    }
    return 2.0 * LANES * CHAINS * ROUNDS;
}
#endif
