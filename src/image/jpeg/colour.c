/* YCbCr to RGB in plain C: the matrix of JFIF in 16 bits of fraction. */
#include "image/jpeg/colour.h"

enum { HALF = 1 << 15, RED = 91881, BLUE = 116130, GREEN_CB = 22554, GREEN_CR = 46802 };

static uint8_t clamp(int value)
{
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

static void from_ycc(uint8_t *dst, const uint8_t *y, const uint8_t *cb, const uint8_t *cr,
                     int32_t count)
{
    for (int32_t i = 0; i < count; i++, dst += 3) {
        const int b = cb[i] - 128, r = cr[i] - 128;
        dst[0] = clamp(y[i] + ((RED * r + HALF) >> 16));
        dst[1] = clamp(y[i] + ((HALF - GREEN_CB * b - GREEN_CR * r) >> 16));
        dst[2] = clamp(y[i] + ((BLUE * b + HALF) >> 16));
    }
}

static void join(uint8_t *dst, const uint8_t *r, const uint8_t *g, const uint8_t *b, int32_t count)
{
    for (int32_t i = 0; i < count; i++, dst += 3) {
        dst[0] = r[i];
        dst[1] = g[i];
        dst[2] = b[i];
    }
}

const stk_jpeg_colour stk_jpeg_colour_plain = {.from_ycc = from_ycc, .join = join};
