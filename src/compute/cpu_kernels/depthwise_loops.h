/* Rows of depthwise gradients, for widths.h. kernel and stride are constants at all calls, so inner
 * loops unroll. The block is that of stk_format_preferred for this vector width. */
#undef BLOCK
#define BLOCK (W < STK_FORMAT_C8 ? STK_FORMAT_C8 : W)

/* Loads columns first, first + 1, ... of a row; zeros outside. */
INLINE void FN(dw_load)(const float *row, int64_t first, int64_t size, bool checked, int count,
                        V *to)
{
    for (int c = 0; c < count; c++)
        if (checked && (first + c < 0 || first + c >= size))
            to[c] = FN(all)(0);
        else
            to[c] = FN(load)(row + (first + c) * BLOCK, W);
}

/* Computes TILE results that share their loads. */
INLINE void FN(dw_tile)(const dw_row r, int kernel, int stride, bool checked, const V *w,
                        int64_t ox, int64_t i)
{
    V       x[(DW_TILE - 1) * DW_STRIDE_MAX + DW_KERNEL_MAX], sum[DW_TILE];
    int64_t left = r.across.count - ox;
    for (int t = 0; t < DW_TILE; t++)
        sum[t] = FN(all)(0);
    for (int ky = 0; ky < kernel; ky++) {
        FN(dw_load)
        (r.rows[ky] + i, ox * stride - r.across.before, r.across.size, checked,
         (DW_TILE - 1) * stride + kernel, x);
        for (int kx = 0; kx < kernel; kx++)
            for (int t = 0; t < DW_TILE; t++)
                sum[t] = FN(madd)(x[t * stride + kx], w[ky * kernel + kx], sum[t]);
    }
    for (int t = 0; t < DW_TILE; t++)
        if (!checked || t < left) FN(store)(r.dx + (ox + t) * BLOCK + i, W, sum[t]);
}

INLINE void FN(dw_row)(const dw_row r, int kernel, int stride)
{
    for (int64_t i = 0; i < BLOCK; i += W) {
        V w[DW_KERNEL_MAX * DW_KERNEL_MAX];
        for (int k = 0; k < kernel * kernel; k++)
            w[k] = FN(load)(r.w + k * BLOCK + i, W);
        for (int64_t ox = 0; ox < r.across.count; ox += DW_TILE)
            if (ox >= r.inside && ox + DW_TILE <= r.outside)
                FN(dw_tile)(r, kernel, stride, false, w, ox, i);
            else
                FN(dw_tile)(r, kernel, stride, true, w, ox, i);
    }
}

/* dx of a row: scatters each dy to the columns of its window. For strides above 1, where the taps
 * of an element vary by column. */
INLINE void FN(dw_spread)(const dw_row r, int kernel, int stride)
{
    for (int64_t ky = r.begin; ky < r.end; ky++) {
        int64_t oy = (r.at - ky) / stride;
        if ((r.at - ky) % stride) continue;
        for (int64_t i = 0; i < BLOCK; i += W)
            for (int64_t ox = 0; ox < r.across.count; ox++) {
                int64_t first = ox * stride - r.across.before;
                V       dy = FN(load)(r.dy + (oy * r.across.count + ox) * BLOCK + i, W);
                bool    all = ox >= r.inside && ox < r.outside;
                for (int kx = 0; kx < kernel; kx++) {
                    float *to = r.dx + (first + kx) * BLOCK + i;
                    if (!all && (first + kx < 0 || first + kx >= r.across.size)) continue;
                    FN(store)
                    (to, W,
                     FN(madd)(dy, FN(load)(r.w + (ky * kernel + kx) * BLOCK + i, W),
                              FN(load)(to, W)));
                }
            }
    }
}

/* Adds the products of a row of dy with rows of x to dw, one filter row at a time. */
INLINE void FN(dw_weigh)(const dw_weights r, int kernel, int stride)
{
    for (int64_t i = 0; i < BLOCK; i += W) {
        V bias = FN(all)(0);
        for (int64_t ox = 0; ox < r.across.count && r.dbias; ox++)
            bias += FN(load)(r.dy + ox * BLOCK + i, W);
        if (r.dbias) FN(store)(r.dbias + i, W, FN(load)(r.dbias + i, W) + bias);
        for (int64_t ky = r.begin; ky < r.end; ky++) {
            const float *x = r.x + (r.first + ky) * r.across.size * BLOCK + i;
            V            sum[5] = {FN(all)(0), FN(all)(0), FN(all)(0), FN(all)(0), FN(all)(0)};
            for (int64_t ox = 0; ox < r.across.count; ox++) {
                int64_t first = ox * stride - r.across.before;
                V       dy = FN(load)(r.dy + ox * BLOCK + i, W);
                bool    all = ox >= r.inside && ox < r.outside;
                for (int kx = 0; kx < kernel; kx++)
                    if (all || (first + kx >= 0 && first + kx < r.across.size))
                        sum[kx] = FN(madd)(dy, FN(load)(x + (first + kx) * BLOCK, W), sum[kx]);
            }
            for (int kx = 0; kx < kernel; kx++) {
                float *to = r.dw + (ky * kernel + kx) * BLOCK + i;
                FN(store)(to, W, FN(load)(to, W) + sum[kx]);
            }
        }
    }
}

#define ROWS(kernel, stride)                                                                       \
    TARGET static void FN(row_##kernel##_##stride)(const dw_row *r)                                \
    {                                                                                              \
        FN(dw_row)(*r, kernel, stride);                                                            \
    }                                                                                              \
    TARGET static void FN(spread_##kernel##_##stride)(const dw_row *r)                             \
    {                                                                                              \
        FN(dw_spread)(*r, kernel, stride);                                                         \
    }                                                                                              \
    TARGET static void FN(weigh_##kernel##_##stride)(const dw_weights *r)                          \
    {                                                                                              \
        FN(dw_weigh)(*r, kernel, stride);                                                          \
    }

ROWS(3, 1)
ROWS(3, 2)
ROWS(5, 1)
ROWS(5, 2)
#undef ROWS

static const dw_loops FN(loops)[2][2] = {
    {{FN(row_3_1), FN(spread_3_1), FN(weigh_3_1)}, {FN(row_3_2), FN(spread_3_2), FN(weigh_3_2)}},
    {{FN(row_5_1), FN(spread_5_1), FN(weigh_5_1)}, {FN(row_5_2), FN(spread_5_2), FN(weigh_5_2)}}};
