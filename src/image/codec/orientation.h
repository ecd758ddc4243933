/* The eight EXIF orientations: from stored to displayed pixels. */
#ifndef STK_IMAGE_CODEC_ORIENTATION_H
#define STK_IMAGE_CODEC_ORIENTATION_H

#include <stoker/image.h>

/* Whether orientation swaps rows and columns. */
static inline bool stk_orientation_swaps(int orientation)
{
    return orientation >= 5;
}

/* Whether orientation mirrors x, and y. */
bool stk_orientation_mirrors_x(int orientation);
bool stk_orientation_mirrors_y(int orientation);

/* The stored rectangle of a displayed window, in an image of width by height pixels. */
stk_rect stk_orientation_stored_window(int orientation, stk_rect shown, int32_t width,
                                       int32_t height);

/* Writes stored, rotated and mirrored, densely to dst, which has its pixels times channels bytes.
 * Returns the pixels in dst. */
stk_pixels stk_orientation_turn(int orientation, const stk_pixels *stored, uint8_t *dst);

#endif
