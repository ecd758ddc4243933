/* Adds a weighted pixel to another, for widths.h. */
TARGET static void FN(add_weighted)(const float *pixel, float weight, float *to, int64_t block)
{
    OVER(block, FN(store)(to + i, n, FN(load)(to + i, n) + FN(load)(pixel + i, n) * weight));
}
