/* Palettes. */
#ifndef STK_IMAGE_CODEC_PALETTE_H
#define STK_IMAGE_CODEC_PALETTE_H

#include <stdbool.h>
#include <stdint.h>

enum { STK_PALETTE_COLOURS = 256 };

/* Starts zeroed: unset colours are black. */
typedef struct stk_palette {
    uint8_t colours[STK_PALETTE_COLOURS][3], greys[STK_PALETTE_COLOURS];
} stk_palette;

void stk_palette_set(stk_palette *palette, int index, uint8_t r, uint8_t g, uint8_t b);
/* Index i is grey i. */
void stk_palette_set_greys(stk_palette *palette);
/* Whether the first count colours are all grey. */
bool stk_palette_is_grey(const stk_palette *palette, int count);
/* count indices to pixels of 1 or 3 channels. */
void stk_palette_convert(const stk_palette *palette, uint8_t *dst, int channels,
                         const uint8_t *indices, int32_t count);

#endif
