/* Indices to colours. */
#include "image/codec/palette.h"

#include "image/codec/convert.h"

#include <string.h>

void stk_palette_set(stk_palette *palette, int index, uint8_t r, uint8_t g, uint8_t b)
{
    memcpy(palette->colours[index], (uint8_t[]){r, g, b}, 3);
    palette->greys[index] = stk_grey_of(r, g, b);
}

void stk_palette_set_greys(stk_palette *palette)
{
    for (int i = 0; i < STK_PALETTE_COLOURS; i++)
        stk_palette_set(palette, i, (uint8_t)i, (uint8_t)i, (uint8_t)i);
}

bool stk_palette_is_grey(const stk_palette *palette, int count)
{
    for (int i = 0; i < count; i++) {
        const uint8_t *c = palette->colours[i];
        if (c[0] != c[1] || c[1] != c[2]) return false;
    }
    return true;
}

void stk_palette_convert(const stk_palette *palette, uint8_t *dst, int channels,
                         const uint8_t *indices, int32_t count)
{
    if (channels == 1) {
        for (int32_t i = 0; i < count; i++)
            dst[i] = palette->greys[indices[i]];
        return;
    }
    for (int32_t i = 0; i < count; i++)
        memcpy(dst + 3 * i, palette->colours[indices[i]], 3);
}
