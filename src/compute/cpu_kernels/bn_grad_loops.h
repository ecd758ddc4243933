/* Recomputes the activation's input, for widths.h. */
TARGET static void FN(affine)(const stk_bn_tile *s, float *u)
{
    OVER(s->count,
         FN(store)(u + i, n,
                   FN(load)(s->x + i, n) * FN(load)(s->scale + i, n) + FN(load)(s->shift + i, n)));
}
