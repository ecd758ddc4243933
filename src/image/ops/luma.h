/* Grey of colours, as Pillow's convert("L"): (19595 R + 38470 G + 7471 B + 32768) / 65536. */
#ifndef STK_IMAGE_OPS_LUMA_H
#define STK_IMAGE_OPS_LUMA_H

#include <stoker/image.h>

/* One level per triple; grey may overlap rgb only from the same start. */
void stk_luma(const uint8_t *rgb, uint8_t *grey, size_t pixels);
/* Three equal levels per level. */
void stk_luma_spread(const uint8_t *grey, uint8_t *rgb, size_t pixels);
/* The mean of the image's grey, rounded half up. The image is not empty. */
uint8_t stk_luma_mean(const stk_pixels *pixels);

/* Each implementation by itself, for tests and benchmarks. NULL where the processor lacks it. */
typedef void (*stk_luma_fn)(const uint8_t *src, uint8_t *dst, size_t pixels);
void        stk_luma_plain(const uint8_t *rgb, uint8_t *grey, size_t pixels);
void        stk_luma_spread_plain(const uint8_t *grey, uint8_t *rgb, size_t pixels);
stk_luma_fn stk_luma_avx2(void);
stk_luma_fn stk_luma_spread_avx2(void);

#endif
