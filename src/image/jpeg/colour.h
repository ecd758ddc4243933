/* Rows of components to rows of RGB pixels, with libjpeg's rounding. Sources are readable up to
 * STK_JPEG_ROW_SLACK bytes behind their end (jpeg_upsample.h); dst gets exactly 3 * count bytes. */
#ifndef STK_IMAGE_JPEG_COLOUR_H
#define STK_IMAGE_JPEG_COLOUR_H

#include <stdint.h>

typedef struct stk_jpeg_colour {
    void (*from_ycc)(uint8_t *dst, const uint8_t *y, const uint8_t *cb, const uint8_t *cr,
                     int32_t count);
    /* Three rows, which may be the same one, put together as they are. */
    void (*join)(uint8_t *dst, const uint8_t *r, const uint8_t *g, const uint8_t *b, int32_t count);
} stk_jpeg_colour;

extern const stk_jpeg_colour stk_jpeg_colour_plain, stk_jpeg_colour_avx2;

#endif
