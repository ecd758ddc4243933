/* Turning by orientation. Every one of the eight is: mirror columns, mirror rows, then maybe swap
 * the axes. */
#include "image/codec/orientation.h"

/* Side of a tile in displayed pixels: if axes swap, whole rows would touch a new cache line of the
 * source per pixel. */
enum { TILE = 32 };

static bool mirrors_columns(int orientation)
{
    return orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
}

static bool mirrors_rows(int orientation)
{
    return orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
}

bool stk_orientation_mirrors_x(int orientation)
{
    return stk_orientation_swaps(orientation) ? mirrors_rows(orientation)
                                              : mirrors_columns(orientation);
}

bool stk_orientation_mirrors_y(int orientation)
{
    return stk_orientation_swaps(orientation) ? mirrors_columns(orientation)
                                              : mirrors_rows(orientation);
}

stk_rect stk_orientation_stored_window(int orientation, stk_rect shown, int32_t width,
                                       int32_t height)
{
    stk_rect r = shown;
    if (stk_orientation_swaps(orientation)) r = (stk_rect){r.y, r.x, r.height, r.width};
    if (mirrors_columns(orientation)) r.x = width - r.x - r.width;
    if (mirrors_rows(orientation)) r.y = height - r.y - r.height;
    return r;
}

/* count pixels, each step bytes behind the one before. */
static void copy_pixels(uint8_t *dst, const uint8_t *src, ptrdiff_t step, int32_t count,
                        int32_t channels)
{
    if (step == channels) {
        memcpy(dst, src, (size_t)count * (size_t)channels);
        return;
    }
    if (channels == 1) {
        for (int32_t i = 0; i < count; i++)
            dst[i] = src[i * step];
        return;
    }
    for (int32_t i = 0; i < count; i++, dst += 3, src += step) {
        dst[0] = src[0];
        dst[1] = src[1];
        dst[2] = src[2];
    }
}

stk_pixels stk_orientation_turn(int orientation, const stk_pixels *stored, uint8_t *dst)
{
    const bool      swaps = stk_orientation_swaps(orientation);
    const int32_t   width = swaps ? stored->height : stored->width;
    const int32_t   height = swaps ? stored->width : stored->height;
    const int32_t   channels = stored->channels;
    const size_t    stride = (size_t)width * (size_t)channels;
    const ptrdiff_t rows = (ptrdiff_t)stored->stride;
    const ptrdiff_t column_step = mirrors_columns(orientation) ? -channels : channels;
    const ptrdiff_t row_step = mirrors_rows(orientation) ? -rows : rows;
    const ptrdiff_t along = swaps ? row_step : column_step; /* to the right in what is shown */
    const ptrdiff_t down = swaps ? column_step : row_step;
    const uint8_t  *first = stored->data; /* the stored pixel shown at the top left */
    if (mirrors_columns(orientation)) first += (ptrdiff_t)(stored->width - 1) * channels;
    if (mirrors_rows(orientation)) first += (ptrdiff_t)(stored->height - 1) * rows;
    const int32_t tile = swaps ? TILE : width;
    for (int32_t top = 0; top < height; top += TILE)
        for (int32_t left = 0; left < width; left += tile)
            for (int32_t y = top; y < height && y < top + TILE; y++)
                copy_pixels(dst + (size_t)y * stride + (size_t)left * (size_t)channels,
                            first + y * down + left * along, along,
                            left + tile < width ? tile : width - left, channels);
    return (stk_pixels){dst, width, height, channels, stride};
}
