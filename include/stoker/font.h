/* stoker/font.h - letters as small pictures: a fixed font of 5 by 9 dots for the printable ASCII
 * characters. */
#ifndef STOKER_FONT_H
#define STOKER_FONT_H

#include <stoker/image.h>

STK_BEGIN_DECLS

enum {
    STK_FONT_ADVANCE = 6, /* dots from letter to letter */
    STK_FONT_HEIGHT = 9   /* 7 on the line, 2 below it */
};

/* Draws text with its upper left corner at (x, y), each dot a square of scale pixels. What is no
 * printable ASCII becomes '?'; what lies outside the picture is left out. colour has one number per
 * channel of pixels. */
STK_API void stk_font_draw(const stk_pixels *pixels, int x, int y, int scale,
                           const uint8_t colour[3], const char *text);

/* Characters that stk_font_draw makes of text: a UTF-8 sequence is one. */
STK_API int stk_font_length(const char *text);

STK_END_DECLS

#endif
