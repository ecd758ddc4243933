/* Pixels that an encoder can take. */
#include "image/encode/encode.h"

#include "base/checked.h"

stk_status stk_encode_check(const stk_pixels *pixels, int32_t max_side, size_t *bytes,
                            stk_error *err)
{
    const int32_t width = pixels->width, height = pixels->height, channels = pixels->channels;
    if (!pixels->data || width < 1 || height < 1)
        return stk_fail(err, STK_E_INVALID, "encode", NULL, "no pixels: %d x %d", width, height);
    if (channels != 1 && channels != 3)
        return stk_fail(err, STK_E_INVALID, "encode", NULL, "%d channels: only 1 and 3 are written",
                        channels);
    const size_t row = (size_t)width * (size_t)channels;
    if (height > 1 && pixels->stride < row)
        return stk_fail(err, STK_E_INVALID, "encode", NULL,
                        "rows of %zu bytes begin %zu bytes apart", row, pixels->stride);
    if (width > max_side || height > max_side || stk_mul_overflows(row, (size_t)height, bytes))
        return stk_fail(err, STK_E_LIMIT, "encode", NULL,
                        "%d x %d pixels: the format's limit of a side is %d", width, height,
                        max_side);
    return STK_OK;
}
