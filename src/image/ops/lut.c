/* Tables of 256 bytes in plain C, and the choice of the kernel. */
#include "image/ops/lut.h"

#include "image/ops/area.h"

/* Shorter runs are done before a vector kernel has loaded its tables. */
enum { FEW = 64 };

void stk_lut_plain(uint8_t *data, size_t bytes, const uint8_t table[STK_LUT_SIZE])
{
    for (size_t i = 0; i < bytes; i++)
        data[i] = table[data[i]];
}

void stk_lut_rgb_plain(uint8_t *data, size_t pixels, const uint8_t table[3][STK_LUT_SIZE])
{
    for (uint8_t *end = data + 3 * pixels; data < end; data += 3) {
        data[0] = table[0][data[0]];
        data[1] = table[1][data[1]];
        data[2] = table[2][data[2]];
    }
}

void stk_lut_apply(uint8_t *data, size_t bytes, const uint8_t table[STK_LUT_SIZE])
{
    stk_lut_fn fast = NULL;
    if (bytes > FEW) fast = stk_lut_avx512();
    if (bytes > FEW && !fast) fast = stk_lut_avx2();
    (fast ? fast : stk_lut_plain)(data, bytes, table);
}

void stk_lut_apply_rgb(uint8_t *data, size_t pixels, const uint8_t table[3][STK_LUT_SIZE])
{
    const stk_lut_rgb_fn fast = pixels > FEW ? stk_lut_rgb_avx512() : NULL;
    (fast ? fast : stk_lut_rgb_plain)(data, pixels, table);
}

void stk_lut_apply_channels(const stk_pixels *pixels, const uint8_t table[3][STK_LUT_SIZE])
{
    if (pixels->channels == 3)
        stk_lut_apply_rgb(pixels->data, stk_area_pixels(pixels), table);
    else
        stk_lut_apply(pixels->data, stk_area_bytes(pixels), table[0]);
}
