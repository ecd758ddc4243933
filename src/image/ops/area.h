/* Sizes of pixels whose rows are dense, as a canvas's are: one run of bytes. */
#ifndef STK_IMAGE_OPS_AREA_H
#define STK_IMAGE_OPS_AREA_H

#include <stoker/image.h>

static inline size_t stk_area_pixels(const stk_pixels *pixels)
{
    return (size_t)pixels->width * (size_t)pixels->height;
}

static inline size_t stk_area_row_bytes(const stk_pixels *pixels)
{
    return (size_t)pixels->width * (size_t)pixels->channels;
}

static inline size_t stk_area_bytes(const stk_pixels *pixels)
{
    return stk_area_row_bytes(pixels) * (size_t)pixels->height;
}

#endif
