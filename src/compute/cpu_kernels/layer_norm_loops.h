/* Rows of layer_norm, for widths.h. */
TARGET static void FN(norm_row)(const float *x, const float *gamma, const float *beta, float *y,
                                int64_t width, double epsilon, float *mean_out, float *invstd_out)
{
    V sum = FN(all)(0), squares = FN(all)(0);
    OVER(width, sum += FN(load)(x + i, n));
    float mean = FN(total)(sum) / (float)width;
    OVER(width, {
        V d = FN(load_or)(x + i, n, mean) - mean;
        squares += d * d;
    });
    float by = (float)(1 / sqrt((double)FN(total)(squares) / (double)width + epsilon));
    OVER(width, FN(store)(y + i, n,
                          (FN(load)(x + i, n) - mean) * by * FN(load)(gamma + i, n) +
                              FN(load)(beta + i, n)));
    *mean_out = mean;
    *invstd_out = by;
}

/* Adds dy xhat and dy to the sums before writing dx, which may alias dy. */
TARGET static void FN(norm_back_row)(const float *dy, const float *x, const float *gamma,
                                     float mean, float by, float *dx, float *dgamma, float *dbeta,
                                     int64_t width)
{
    V sum = FN(all)(0), dot = FN(all)(0);
    OVER(width, {
        V d = FN(load)(dy + i, n), xhat = (FN(load)(x + i, n) - mean) * by;
        V h = d * FN(load)(gamma + i, n);
        FN(store)(dgamma + i, n, FN(load)(dgamma + i, n) + d * xhat);
        FN(store)(dbeta + i, n, FN(load)(dbeta + i, n) + d);
        sum += h;
        dot += h * xhat;
    });
    float average = FN(total)(sum) / (float)width, with_x = FN(total)(dot) / (float)width;
    OVER(width, {
        V h = FN(load)(dy + i, n) * FN(load)(gamma + i, n);
        V xhat = (FN(load)(x + i, n) - mean) * by;
        FN(store)(dx + i, n, by * (h - average - xhat * with_x));
    });
}
