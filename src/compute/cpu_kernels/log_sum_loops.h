/* Log-sum-exp of a row, for widths.h. */
INLINE float FN(largest)(const float *x, int64_t count)
{
    V row_max = FN(all)(-INFINITY);
    OVER(count, row_max = FN(larger)(FN(load_or)(x + i, n, -INFINITY), row_max));
    return FN(max_of)(row_max);
}

INLINE float FN(exp_sum)(const float *x, int64_t count, float row_max)
{
    V sum = FN(all)(0);
    OVER(count, sum += FN(vec_exp)(FN(load_or)(x + i, n, -INFINITY) - row_max));
    return FN(total)(sum);
}

/* Returns log-sum-exp as two terms that the caller adds in double. */
TARGET static void FN(log_sum)(const float *x, int64_t count, float *row_max, float *sum)
{
    *row_max = FN(largest)(x, count);
    *sum = FN(exp_sum)(x, count, *row_max);
}
