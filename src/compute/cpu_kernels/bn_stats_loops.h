/* Sums and sums of squares of x - shift down the rows, for widths.h. With four rows at a time sums
 * are loaded and stored once per four elements. */
TARGET static void FN(stats)(const float *x, const stk_sum_item *r, const float *shift, float *sum,
                             float *squares)
{
    int64_t row = 0, rows = r->rows, stride = r->stride, width = r->width;
    for (; row + 4 <= rows; row += 4, x += 4 * stride)
        OVER(width, {
            V s = FN(load)(shift + i, n);
            V a = FN(load)(x + i, n) - s, b = FN(load)(x + stride + i, n) - s;
            V c = FN(load)(x + 2 * stride + i, n) - s, d = FN(load)(x + 3 * stride + i, n) - s;
            FN(store)(sum + i, n, FN(load)(sum + i, n) + ((a + b) + (c + d)));
            FN(store)
            (squares + i, n, FN(load)(squares + i, n) + ((a * a + b * b) + (c * c + d * d)));
        });
    for (; row < rows; row++, x += stride)
        OVER(width, {
            V a = FN(load)(x + i, n) - FN(load)(shift + i, n);
            FN(store)(sum + i, n, FN(load)(sum + i, n) + a);
            FN(store)(squares + i, n, FN(load)(squares + i, n) + a * a);
        });
}
