/* The log of the sum of exp of a row, for widths.h. */
INLINE float FN(largest)(const float *x, int64_t count)
{
    V most = FN(all)(-INFINITY);
    OVER(count, most = FN(larger)(FN(load_or)(x + i, n, -INFINITY), most));
    return FN(most)(most);
}

INLINE float FN(exp_sum)(const float *x, int64_t count, float most)
{
    V sum = FN(all)(0);
    OVER(count, sum += FN(vec_exp)(FN(load_or)(x + i, n, -INFINITY) - most));
    return FN(total)(sum);
}

/* log of the sum of exp, in two parts that are added in double. */
TARGET static void FN(log_sum)(const float *x, int64_t count, float *most, float *sum)
{
    *most = FN(largest)(x, count);
    *sum = FN(exp_sum)(x, count, *most);
}
