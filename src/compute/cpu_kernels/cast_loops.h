/* float32 from and to bfloat16, for widths.h. Rounds to nearest even; NaN stays NaN and becomes
 * quiet. */
#undef HALVES
#define HALVES FN(vec_halves)
typedef uint16_t HALVES __attribute__((vector_size(W * 2)));

TARGET static void FN(to_bf16)(const float *x, uint16_t *y, int64_t count)
{
    OVER(count, {
        V      v = FN(load)(x + i, n);
        VI     bits = (VI)v, high = (bits >> 16) & 0xffff;
        VI     rounded = ((bits + 0x7fff + (high & 1)) >> 16) & 0xffff;
        VI     number = v == v;
        HALVES out =
            __builtin_convertvector((number & rounded) | (~number & (high | 0x40)), HALVES);
        memcpy(y + i, &out, (size_t)n * sizeof *y);
    });
}

TARGET static void FN(from_bf16)(const uint16_t *x, float *y, int64_t count)
{
    OVER(count, {
        HALVES in = {0};
        memcpy(&in, x + i, (size_t)n * sizeof *x);
        FN(store)(y + i, n, (V)(__builtin_convertvector(in, VI) << 16));
    });
}
