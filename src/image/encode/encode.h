/* Shared by the encoders. */
#ifndef STK_IMAGE_ENCODE_ENCODE_H
#define STK_IMAGE_ENCODE_ENCODE_H

#include <stoker/image.h>

/* STK_E_INVALID unless there are pixels, of 1 or 3 channels, in rows that do not overlap;
 * STK_E_LIMIT when a side is above max_side, the format's largest, or the bytes overflow.
 * *bytes is what the pixels take without gaps. */
STK_NODISCARD stk_status stk_encode_check(const stk_pixels *pixels, int32_t max_side, size_t *bytes,
                                          stk_error *err);

static inline uint8_t *stk_encode_row(const stk_pixels *pixels, int32_t y)
{
    return pixels->data + (size_t)y * pixels->stride;
}

#endif
