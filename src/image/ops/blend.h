/* Between two images, and past either: from + factor * (image - from), in float32, cut off to
 * whole levels and clamped, as Pillow's Image.blend does to the bit. */
#ifndef STK_IMAGE_OPS_BLEND_H
#define STK_IMAGE_OPS_BLEND_H

#include <stddef.h>
#include <stdint.h>

static inline uint8_t stk_blend_one(uint8_t from, uint8_t image, float factor)
{
    const float product = factor * (float)((int)image - (int)from);
    const float level = (float)from + product;
    return level <= 0 ? 0 : level >= 255 ? 255 : (uint8_t)level;
}

/* image, in place; from is another. factor is finite. */
void stk_blend(uint8_t *image, const uint8_t *from, size_t bytes, float factor);
/* For a from of one level: what becomes of each level. */
void stk_blend_table(uint8_t table[256], uint8_t from, float factor);

/* Each implementation by itself, for tests and benchmarks. NULL where the processor lacks it. */
typedef void (*stk_blend_fn)(uint8_t *image, const uint8_t *from, size_t bytes, float factor);
void         stk_blend_plain(uint8_t *image, const uint8_t *from, size_t bytes, float factor);
stk_blend_fn stk_blend_avx2(void);
stk_blend_fn stk_blend_avx512(void);

#endif
