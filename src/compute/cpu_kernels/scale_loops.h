/* Rows of scale, for widths.h. */
TARGET static void FN(scale)(const float *x, float *y, int64_t count, float scale, float shift)
{
    OVER(count, FN(store)(y + i, n, FN(load)(x + i, n) * scale + shift));
}
