/* Bytes to floats, for widths.h. */
#undef BYTES
#define BYTES FN(vec_bytes)
typedef uint8_t BYTES __attribute__((vector_size(W)));

TARGET static void FN(normalize)(const uint8_t *x, const float *scale, const float *shift, float *y,
                                 int64_t count)
{
    OVER(count, {
        BYTES bytes = {0};
        memcpy(&bytes, x + i, (size_t)n);
        FN(store)
        (y + i, n,
         __builtin_convertvector(bytes, V) * FN(load)(scale + i, n) + FN(load)(shift + i, n));
    });
}
