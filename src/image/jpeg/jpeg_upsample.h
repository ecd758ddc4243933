/* Chroma rows to full width and height, as libjpeg-turbo's "fancy" upsampling does it: each sample
 * is three parts of the nearest and one of the next. What libjpeg does at edges is what these give
 * when the outermost sample stands once more beside itself. */
#ifndef STK_IMAGE_JPEG_JPEG_UPSAMPLE_H
#define STK_IMAGE_JPEG_JPEG_UPSAMPLE_H

#include <stdint.h>

/* Rows are readable up to STK_JPEG_ROW_SLACK bytes behind their end, and results may be written so
 * far behind theirs. */
enum { STK_JPEG_ROW_SLACK = 64 };

typedef struct stk_upsampler {
    /* 2 * count samples from src[-1] to src[count]. */
    void (*h2v1)(uint8_t *dst, const uint8_t *src, int32_t count);
    /* The same between two rows: near is three parts, far one. */
    void (*h2v2)(uint8_t *dst, const uint8_t *near, const uint8_t *far, int32_t count);
    /* count samples; bias is 1 where far is above near and 2 where it is below. */
    void (*h1v2)(uint8_t *dst, const uint8_t *near, const uint8_t *far, int32_t count, int bias);
} stk_upsampler;

extern const stk_upsampler stk_upsampler_plain, stk_upsampler_avx2;

/* Each of count samples factor times. */
void stk_upsample_repeat(uint8_t *dst, const uint8_t *src, int32_t count, int factor);

#endif
