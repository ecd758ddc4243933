/* Rectangles of one colour. */
#ifndef STK_IMAGE_OPS_IMAGE_FILL_H
#define STK_IMAGE_OPS_IMAGE_FILL_H

#include <stoker/image.h>

/* Sets the part of area that is inside; of one channel, colour's first counts. */
void stk_fill_rect(const stk_pixels *pixels, stk_rect area, const uint8_t colour[3]);

#endif
