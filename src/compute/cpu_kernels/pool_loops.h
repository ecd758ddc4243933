/* Rows of pooling, for widths.h. */
#undef BYTES
#define BYTES FN(vec_bytes)
typedef uint8_t BYTES __attribute__((vector_size(W)));

INLINE void FN(store_bytes)(uint8_t *dst, int64_t n, VI v)
{
    BYTES bytes = __builtin_convertvector(v, BYTES);
    memcpy(dst, &bytes, (size_t)n);
}

/* The first of equal elements wins; NaN wins over all. */
TARGET static void FN(max_row)(const pool_row *r)
{
    for (int64_t ox = 0; ox < r->across.count; ox++) {
        taps    t = taps_of(&r->across, ox);
        int64_t to = ox * r->block, first = ox * r->across.stride - r->across.before;
        OVER(r->block, {
            V  best = FN(all)(-INFINITY);
            VI index = (VI){0} + (int32_t)(r->rows.begin * r->across.kernel + t.begin);
            for (int64_t ky = r->rows.begin; ky < r->rows.end; ky++)
                for (int64_t kx = t.begin; kx < t.end; kx++) {
                    V v = FN(load)(
                        r->x + ((r->first + ky) * r->across.size + first + kx) * r->block + i, n);
                    VI better = (v > best) | (v != v);
                    best = FN(pick)(better, v, best);
                    index = (better & (int32_t)(ky * r->across.kernel + kx)) | (~better & index);
                }
            FN(store)(r->y + to + i, n, best);
            if (r->indices) FN(store_bytes)(r->indices + to + i, n, index);
        });
    }
}

TARGET static void FN(average_row)(const pool_row *r)
{
    for (int64_t ox = 0; ox < r->across.count; ox++) {
        taps    t = taps_of(&r->across, ox);
        int64_t first = ox * r->across.stride - r->across.before;
        float   by = 1 / (float)(r->count_pad ? r->down.kernel * r->across.kernel
                                              : (r->rows.end - r->rows.begin) * (t.end - t.begin));
        OVER(r->block, {
            V sum = FN(all)(0);
            for (int64_t ky = r->rows.begin; ky < r->rows.end; ky++)
                for (int64_t kx = t.begin; kx < t.end; kx++)
                    sum += FN(load)(
                        r->x + ((r->first + ky) * r->across.size + first + kx) * r->block + i, n);
            FN(store)(r->y + ox * r->block + i, n, sum * by);
        });
    }
}

/* Gathers per element of dx from its windows, so that each is written once. */
TARGET static void FN(max_back_row)(const back_row *r)
{
    taps t = {0, 0};
    for (int64_t ix = 0; ix < r->across.size; ix++) {
        int64_t at = ix + r->across.before;
        windows_of(&r->across, at, &t);
        OVER(r->block, {
            V sum = FN(all)(0);
            for (int64_t oy = r->rows.begin; oy < r->rows.end; oy++)
                for (int64_t ox = t.begin; ox < t.end; ox++) {
                    int64_t from = (oy * r->across.count + ox) * r->block + i;
                    int64_t index = (r->at - oy * r->down.stride) * r->across.kernel + at -
                                    ox * r->across.stride;
                    BYTES bytes = {0};
                    memcpy(&bytes, r->indices + from, (size_t)n);
                    VI here = __builtin_convertvector(bytes, VI) == (int32_t)index;
                    sum += FN(keep)(here, FN(load)(r->dy + from, n));
                }
            FN(store)(r->dx + ix * r->block + i, n, sum);
        });
    }
}

TARGET static void FN(average_back_row)(const back_row *r)
{
    taps t = {0, 0};
    for (int64_t ix = 0; ix < r->across.size; ix++) {
        windows_of(&r->across, ix + r->across.before, &t);
        OVER(r->block, {
            V sum = FN(all)(0);
            for (int64_t oy = r->rows.begin; oy < r->rows.end; oy++)
                for (int64_t ox = t.begin; ox < t.end; ox++) {
                    taps    down = taps_of(&r->down, oy), across = taps_of(&r->across, ox);
                    int64_t share = r->count_pad
                                        ? r->down.kernel * r->across.kernel
                                        : (down.end - down.begin) * (across.end - across.begin);
                    sum += FN(load)(r->dy + (oy * r->across.count + ox) * r->block + i, n) *
                           (1 / (float)share);
                }
            FN(store)(r->dx + ix * r->block + i, n, sum);
        });
    }
}
