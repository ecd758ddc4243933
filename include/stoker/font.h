/* stoker/font.h - letters as small images: a fixed font of 5 by 9 dots for the printable ASCII
 * characters. */
#ifndef STOKER_FONT_H
#define STOKER_FONT_H

#include <stoker/image.h>

STK_BEGIN_DECLS

enum {
    STK_FONT_ADVANCE = 6, /* dots from letter to letter */
    STK_FONT_HEIGHT = 9,  /* 7 on the line, 2 below it */
    STK_FONT_SPELLED = 12 /* bytes for one character spelled, with the 0 */
};

/* Spells the first character of text (UTF-8) in letters that the font has, and gives its bytes; 0
 * at the end. Letters of other alphabets become Latin ones (e for an e with an accent, zh for a
 * Cyrillic one), what has none its number, such as <1F431> for a cat's face; a byte that is no text
 * becomes \xFF. Accents of their own and joiners become "". */
STK_API size_t stk_font_spell_next(const char *text, char spelled[STK_FONT_SPELLED]);
/* Spells all of text, or as many whole characters as there is capacity for. Returns out. */
STK_API char *stk_font_spell(const char *text, char *out, size_t capacity);

/* Draws text with its upper left corner at (x, y), each dot a square of scale pixels. What is no
 * printable ASCII is spelled; what lies outside the image is left out. colour has one number per
 * channel of pixels. */
STK_API void stk_font_render(const stk_pixels *pixels, int x, int y, int scale,
                             const uint8_t colour[3], const char *text);

/* Letters that stk_font_render makes of text. */
STK_API int stk_font_length(const char *text);

STK_END_DECLS

#endif
