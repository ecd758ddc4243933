/* Sums down the rows, for widths.h. */
TARGET static void FN(sum)(const float *x, const stk_sum_item *r, float *sum)
{
    int64_t row = 0, rows = r->rows, stride = r->stride, width = r->width;
    for (; row + 4 <= rows; row += 4, x += 4 * stride)
        OVER(width, {
            V a = FN(load)(x + i, n) + FN(load)(x + stride + i, n);
            V b = FN(load)(x + 2 * stride + i, n) + FN(load)(x + 3 * stride + i, n);
            FN(store)(sum + i, n, FN(load)(sum + i, n) + (a + b));
        });
    for (; row < rows; row++, x += stride)
        OVER(width, FN(store)(sum + i, n, FN(load)(sum + i, n) + FN(load)(x + i, n)));
}
