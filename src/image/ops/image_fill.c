/* Rectangles of one colour: the first row pixel by pixel, the others as copies of it. */
#include "image/ops/image_fill.h"

#include <string.h>

static int32_t clamp(int64_t position, int32_t max)
{
    return (int32_t)(position < 0 ? 0 : position > max ? max : position);
}

void stk_fill_rect(const stk_pixels *pixels, stk_rect area, const uint8_t colour[3])
{
    const int32_t left = clamp(area.x, pixels->width), top = clamp(area.y, pixels->height);
    const int32_t right = clamp((int64_t)area.x + area.width, pixels->width);
    const int32_t bottom = clamp((int64_t)area.y + area.height, pixels->height);
    if (left >= right || top >= bottom) return;
    const size_t channels = (size_t)pixels->channels, bytes = (size_t)(right - left) * channels;
    uint8_t     *first = pixels->data + (size_t)top * pixels->stride + (size_t)left * channels;
    for (size_t i = 0; i < bytes; i++)
        first[i] = colour[i % channels];
    for (int32_t y = top + 1; y < bottom; y++)
        memcpy(first + (size_t)(y - top) * pixels->stride, first, bytes);
}
