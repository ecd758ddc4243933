/* Between grey and colours. */
#include "image/codec/convert.h"

#include <stddef.h>
#include <string.h>

void stk_convert_colours_to_grey(uint8_t *dst, const uint8_t *src, int step, int32_t count)
{
    for (int32_t i = 0; i < count; i++, src += step)
        dst[i] = stk_grey_of(src[0], src[1], src[2]);
}

void stk_convert_grey_to_colours(uint8_t *dst, const uint8_t *src, int step, int32_t count)
{
    for (int32_t i = 0; i < count; i++, src += step, dst += 3)
        dst[0] = dst[1] = dst[2] = src[0];
}

void stk_convert_first(uint8_t *dst, const uint8_t *src, int step, int channels, int32_t count)
{
    if (step == channels) {
        memcpy(dst, src, (size_t)count * (size_t)channels);
        return;
    }
    if (channels == 1) {
        for (int32_t i = 0; i < count; i++)
            dst[i] = src[i * (ptrdiff_t)step];
        return;
    }
    for (int32_t i = 0; i < count; i++, src += step, dst += 3) {
        dst[0] = src[0];
        dst[1] = src[1];
        dst[2] = src[2];
    }
}
