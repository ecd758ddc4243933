/* Upsampling in plain C. */
#include "image/jpeg/jpeg_upsample.h"

#include <string.h>

static void h2v1(uint8_t *dst, const uint8_t *src, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        dst[2 * i] = (uint8_t)((3 * src[i] + src[i - 1] + 1) >> 2);
        dst[2 * i + 1] = (uint8_t)((3 * src[i] + src[i + 1] + 2) >> 2);
    }
}

static void h2v2(uint8_t *dst, const uint8_t *near, const uint8_t *far, int32_t count)
{
    int left = 3 * near[-1] + far[-1], here = 3 * near[0] + far[0];
    for (int32_t i = 0; i < count; i++) {
        const int right = 3 * near[i + 1] + far[i + 1];
        dst[2 * i] = (uint8_t)((3 * here + left + 8) >> 4);
        dst[2 * i + 1] = (uint8_t)((3 * here + right + 7) >> 4);
        left = here;
        here = right;
    }
}

static void h1v2(uint8_t *dst, const uint8_t *near, const uint8_t *far, int32_t count, int bias)
{
    for (int32_t i = 0; i < count; i++)
        dst[i] = (uint8_t)((3 * near[i] + far[i] + bias) >> 2);
}

void stk_upsample_repeat(uint8_t *dst, const uint8_t *src, int32_t count, int factor)
{
    for (int32_t i = 0; i < count; i++, dst += factor)
        memset(dst, src[i], (size_t)factor);
}

const stk_upsampler stk_upsampler_plain = {.h2v1 = h2v1, .h2v2 = h2v2, .h1v2 = h1v2};
