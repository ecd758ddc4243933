/* Vectors of W floats by GNU vector extensions. widths.h includes this once per width, so there is
 * no guard. */
#undef V
#undef VI
#undef INLINE
#define V FN(vec)
#define VI FN(vec_int)
#define INLINE TARGET static inline __attribute__((always_inline, unused))

typedef float   V __attribute__((vector_size(W * 4)));
typedef int32_t VI __attribute__((vector_size(W * 4)));

/* Loads n elements, at most W; the other lanes are 0. */
INLINE V FN(load)(const float *src, int64_t n)
{
    V v;
    if (n >= W) {
        memcpy(&v, src, sizeof v);
        return v;
    }
#if W == 16
    return _mm512_maskz_loadu_ps((__mmask16)((1u << n) - 1), src);
#else
    v = (V){0};
    for (int64_t i = 0; i < n; i++)
        v[i] = src[i];
    return v;
#endif
}

INLINE void FN(store)(float *dst, int64_t n, V v)
{
    if (n >= W) {
        memcpy(dst, &v, sizeof v);
        return;
    }
#if W == 16
    _mm512_mask_storeu_ps(dst, (__mmask16)((1u << n) - 1), v);
#else
    for (int64_t i = 0; i < n; i++)
        dst[i] = v[i];
#endif
}

INLINE V FN(all)(float x)
{
    return (V){0} + x;
}

/* Per lane: v if the mask is set (all ones), else other. */
INLINE V FN(pick)(VI mask, V v, V other)
{
#if W == 16
    return _mm512_mask_mov_ps(other, _mm512_movepi32_mask((__m512i)mask), v);
#elif W == 8
    return _mm256_blendv_ps(other, v, (__m256)mask);
#else
    return (V)((mask & (VI)v) | (~mask & (VI)other));
#endif
}

/* a > b ? a : b and a < b ? a : b; so b if either is NaN. */
INLINE V FN(larger)(V a, V b)
{
#if W == 16
    return _mm512_max_ps(a, b);
#elif W == 8
    return _mm256_max_ps(a, b);
#else
    return FN(pick)(a > b, a, b);
#endif
}

INLINE V FN(smaller)(V a, V b)
{
#if W == 16
    return _mm512_min_ps(a, b);
#elif W == 8
    return _mm256_min_ps(a, b);
#else
    return FN(pick)(a < b, a, b);
#endif
}

/* v where the mask is set, else 0. */
INLINE V FN(keep)(VI mask, V v)
{
    return (V)(mask & (VI)v);
}

INLINE V FN(magnitude)(V v)
{
    return (V)((VI)v & 0x7fffffff);
}

/* As load, with fill in the lanes past n. */
INLINE V FN(load_or)(const float *src, int64_t n, float fill)
{
    if (n >= W) return FN(load)(src, n);
#if W == 16
    return _mm512_mask_loadu_ps(FN(all)(fill), (__mmask16)((1u << n) - 1), src);
#else
    V v = FN(all)(fill);
    for (int64_t i = 0; i < n; i++)
        v[i] = src[i];
    return v;
#endif
}

/* Horizontal sum and maximum. */
INLINE float FN(total)(V v)
{
    float sum = 0;
    for (int i = 0; i < W; i++)
        sum += v[i];
    return sum;
}

INLINE float FN(max_of)(V v)
{
    float max_of = v[0];
    for (int i = 1; i < W; i++)
        if (v[i] > max_of) max_of = v[i];
    return max_of;
}

INLINE V FN(root)(V v)
{
#if W == 16
    return _mm512_sqrt_ps(v);
#elif W == 8
    return _mm256_sqrt_ps(v);
#else
    for (int i = 0; i < W; i++)
        v[i] = sqrtf(v[i]);
    return v;
#endif
}

/* a b + c, fused if the CPU can. */
INLINE V FN(madd)(V a, V b, V c)
{
#if W == 16
    return _mm512_fmadd_ps(a, b, c);
#elif W == 8
    return _mm256_fmadd_ps(a, b, c);
#else
    return a * b + c;
#endif
}

/* Stores n elements, with a non-temporal store if stream is set: see stk_worth_streaming. */
INLINE void FN(put)(float *dst, int64_t n, V v, bool stream)
{
#if W == 16
    if (stream && n == W) {
        _mm512_stream_ps(dst, v);
        return;
    }
#elif W == 8
    if (stream && n == W) {
        _mm256_stream_ps(dst, v);
        return;
    }
#endif
    (void)stream;
    FN(store)(dst, n, v);
}
