/* Interpolation and extrapolation of two images: from + factor * (image - from), in float32,
 * truncated to levels and clamped, bit-identical to Pillow's Image.blend. */
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

/* Blends image in place with from; factor is finite. */
void stk_blend(uint8_t *image, const uint8_t *from, size_t bytes, float factor);
/* The lookup table of a blend with a constant from. */
void stk_blend_table(uint8_t table[256], uint8_t from, float factor);

/* Each implementation by itself, for tests and benchmarks. NULL where the processor lacks it. */
typedef void (*stk_blend_fn)(uint8_t *image, const uint8_t *from, size_t bytes, float factor);
void         stk_blend_plain(uint8_t *image, const uint8_t *from, size_t bytes, float factor);
stk_blend_fn stk_blend_avx2(void);
stk_blend_fn stk_blend_avx512(void);

#endif
