/* Sums of squares, for widths.h; non-finite elements are counted instead. */
TARGET static void FN(squares)(const float *x, int64_t count, float multiply, float *sum,
                               float *not_finite)
{
    V total = FN(all)(0), bad = FN(all)(0);
    OVER(count, {
        V  v = FN(load)(x + i, n), scaled = v * multiply;
        VI finite = FN(magnitude)(v) < INFINITY;
        total += FN(keep)(finite, scaled * scaled);
        bad += FN(keep)(~finite, FN(all)(1));
    });
    *sum = FN(total)(total);
    *not_finite = FN(total)(bad);
}
