/* Conversion of pixel rows, as Pillow's convert. step: bytes between pixels; channels after the
 * used ones (alpha) are dropped. */
#ifndef STK_IMAGE_CODEC_CONVERT_H
#define STK_IMAGE_CODEC_CONVERT_H

#include <stdint.h>

/* Luma: ITU-R 601's weights in 16 bits, rounded. */
static inline uint8_t stk_grey_of(uint8_t r, uint8_t g, uint8_t b)
{
    return (uint8_t)((r * 19595u + g * 38470u + b * 7471u + 0x8000u) >> 16);
}

/* Scales a channel from 16 to 8 bits by its range. */
static inline uint8_t stk_scale_16bit(uint32_t value)
{
    return (uint8_t)((value * 255 + 32767) / 65535);
}

/* dst may be src. */
void stk_convert_colours_to_grey(uint8_t *dst, const uint8_t *src, int step, int32_t count);
void stk_convert_grey_to_colours(uint8_t *dst, const uint8_t *src, int step, int32_t count);
/* The first channels (1 or 3) of each pixel. */
void stk_convert_first(uint8_t *dst, const uint8_t *src, int step, int channels, int32_t count);

#endif
