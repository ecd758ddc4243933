/* The eight EXIF orientations: how what is stored becomes what is shown. */
#ifndef STK_IMAGE_CODEC_ORIENTATION_H
#define STK_IMAGE_CODEC_ORIENTATION_H

#include <stoker/image.h>

/* Whether what is shown has rows where what is stored has columns. */
static inline bool stk_orientation_swaps(int orientation)
{
    return orientation >= 5;
}

/* Whether what is shown begins, along x and along y, with the end of what is stored. */
bool stk_orientation_mirrors_x(int orientation);
bool stk_orientation_mirrors_y(int orientation);

/* Where the window of what is shown lies in the stored image of width by height pixels. */
stk_rect stk_orientation_stored_window(int orientation, stk_rect shown, int32_t width,
                                       int32_t height);

/* stored, turned and mirrored, into dst: rows without gaps, of as many bytes as stored has pixels
 * times channels. Gives the pixels in dst. */
stk_pixels stk_orientation_turn(int orientation, const stk_pixels *stored, uint8_t *dst);

#endif
