/* The same for AVX-512. Each chain is a variable: an array would be kept in memory. */
#ifdef __x86_64__
#include "observe/profile/probe.h"

#include <immintrin.h>

enum { CHAINS = 12, LANES = 16, ROUNDS = 1 << 17 };

__attribute__((target("avx512f"))) double stk_probe_fma_avx512(void)
{
    const __m512 factor = _mm512_set1_ps(0.999f), more = _mm512_set1_ps(0.001f);
    __m512 a = more, b = more, c = more, d = more, e = more, f = more, g = more, h = more, i = more,
           j = more, k = more, l = more;
    for (int n = 0; n < ROUNDS; n++) {
        a = _mm512_fmadd_ps(a, factor, more);
        b = _mm512_fmadd_ps(b, factor, more);
        c = _mm512_fmadd_ps(c, factor, more);
        d = _mm512_fmadd_ps(d, factor, more);
        e = _mm512_fmadd_ps(e, factor, more);
        f = _mm512_fmadd_ps(f, factor, more);
        g = _mm512_fmadd_ps(g, factor, more);
        h = _mm512_fmadd_ps(h, factor, more);
        i = _mm512_fmadd_ps(i, factor, more);
        j = _mm512_fmadd_ps(j, factor, more);
        k = _mm512_fmadd_ps(k, factor, more);
        l = _mm512_fmadd_ps(l, factor, more);
        __asm__ volatile("" : "+v"(a), "+v"(b), "+v"(c), "+v"(d), "+v"(e), "+v"(f));
        __asm__ volatile("" : "+v"(g), "+v"(h), "+v"(i), "+v"(j), "+v"(k), "+v"(l));
    }
    return 2.0 * LANES * CHAINS * ROUNDS;
}
#endif
