/* PGM and PPM. */
#include "base/checked.h"
#include "image/encode/encode.h"

#include <stdio.h>

enum { SIDE_MAX = 1 << 24 }; /* the limit of the reader */

stk_status stk_image_write_pnm(stk_blob *out, const stk_pixels *pixels, stk_error *err)
{
    char   line[48];
    size_t bytes, end;
    STK_TRY(stk_encode_check(pixels, SIDE_MAX, &bytes, err));
    const int length = snprintf(line, sizeof line, "P%d\n%d %d\n255\n",
                                pixels->channels == 1 ? 5 : 6, pixels->width, pixels->height);
    if (stk_add_overflows(bytes, (size_t)length, &end) || stk_add_overflows(end, out->size, &end))
        return stk_fail(err, STK_E_LIMIT, "encode", NULL,
                        "%zu bytes of pixels behind %zu do not fit", bytes, out->size);
    STK_TRY(stk_blob_reserve(out, end, err)); /* so that nothing below can fail half way */
    STK_TRY(stk_blob_append(out, line, (size_t)length, err));
    for (int32_t y = 0; y < pixels->height; y++)
        STK_TRY(stk_blob_append(out, stk_encode_row(pixels, y),
                                (size_t)pixels->width * (size_t)pixels->channels, err));
    return STK_OK;
}
