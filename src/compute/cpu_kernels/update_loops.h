/* Parameter updates, with the operations in the order of compute/ops/update.h, for widths.h. */
TARGET static void FN(sgd)(const update_part *part, float trust)
{
    const update_part p = *part;
    const stk_update  u = *part->u;
    OVER(p.count, {
        V w = FN(load)(p.w + i, n);
        V g = trust * (FN(load)(p.g + i, n) * u.multiply + u.decay * w);
        V m = u.momentum * FN(load)(p.m + i, n) + g;
        FN(store)(p.to_m + i, n, m);
        FN(store)(p.to_w + i, n, w - u.rate * (u.nesterov ? g + u.momentum * m : m));
    });
}

INLINE V FN(lerp)(V a, V b, float weight, float rest)
{
    return weight < 0.5f ? a + weight * (b - a) : b - (b - a) * rest;
}

INLINE V FN(moments)(const update_part p, const stk_update u, int64_t i, int64_t n, V *v_out)
{
    V g = FN(load)(p.g + i, n) * u.multiply;
    V m = FN(lerp)(FN(load)(p.m + i, n), g, u.weight1, u.beta1);
    *v_out = FN(load)(p.v + i, n) * u.beta2 + u.weight2 * g * g;
    FN(store)(p.to_m + i, n, m);
    FN(store)(p.to_v + i, n, *v_out);
    return m;
}

INLINE V FN(denominator)(const stk_update u, V v)
{
    return FN(root)(v) / u.correct2 + u.epsilon;
}

TARGET static void FN(adamw)(const update_part *part)
{
    const update_part p = *part;
    const stk_update  u = *part->u;
    OVER(p.count, {
        V v;
        V m = FN(moments)(p, u, i, n, &v);
        V w = FN(load)(p.w + i, n) * u.keep - u.step * m / FN(denominator)(u, v);
        FN(store)(p.to_w + i, n, w);
    });
}

INLINE V FN(direction)(const stk_update u, V w, V m, V v)
{
    return m / u.correct1 / FN(denominator)(u, v) + u.decay * w;
}

/* Computes the moments and the sum of squares of the direction. Lanes past the end are 0 / epsilon
 * and add nothing. */
TARGET static float FN(lamb_moments)(const update_part *part)
{
    const update_part p = *part;
    const stk_update  u = *part->u;
    V                 sum = FN(all)(0);
    OVER(p.count, {
        V v;
        V m = FN(moments)(p, u, i, n, &v);
        V d = FN(direction)(u, FN(load)(p.w + i, n), m, v);
        sum += FN(keep)(d == d, d * d);
    });
    return FN(total)(sum);
}

TARGET static void FN(lamb_step)(const update_part *part, float rate)
{
    const update_part p = *part;
    const stk_update  u = *part->u;
    OVER(p.count, {
        V w = FN(load)(p.w + i, n);
        V d = FN(direction)(u, w, FN(load)(p.to_m + i, n), FN(load)(p.to_v + i, n));
        FN(store)(p.to_w + i, n, w - rate * d);
    });
}

TARGET static void FN(ema)(const float *average, const float *w, float *to, int64_t count,
                           float weight, float rest)
{
    OVER(count, FN(store)(to + i, n,
                          FN(lerp)(FN(load)(average + i, n), FN(load)(w + i, n), weight, rest)));
}

TARGET static void FN(accumulate)(const float *sum, const float *g, float *to, int64_t count)
{
    OVER(count, FN(store)(to + i, n, FN(load)(sum + i, n) + FN(load)(g + i, n)));
}
