/* Blending in plain C, and the choice of the kernel. */
#include "image/ops/blend.h"

void stk_blend_plain(uint8_t *image, const uint8_t *from, size_t bytes, float factor)
{
    for (size_t i = 0; i < bytes; i++)
        image[i] = stk_blend_one(from[i], image[i], factor);
}

void stk_blend(uint8_t *image, const uint8_t *from, size_t bytes, float factor)
{
    stk_blend_fn fast = stk_blend_avx512();
    if (!fast) fast = stk_blend_avx2();
    (fast ? fast : stk_blend_plain)(image, from, bytes, factor);
}

void stk_blend_table(uint8_t table[256], uint8_t from, float factor)
{
    for (int level = 0; level < 256; level++)
        table[level] = stk_blend_one(from, (uint8_t)level, factor);
}
