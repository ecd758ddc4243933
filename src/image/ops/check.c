/* Checks that several operations share. */
#include "image/ops/check.h"

#include <math.h>

stk_status stk_check_range(const char *op, const char *name, const double range[2], stk_error *err)
{
    if (range[0] <= range[1]) return STK_OK;
    return stk_fail(err, STK_E_INVALID, op, name,
                    "%s=%g,%g is no range: the first must not be above the second", name, range[0],
                    range[1]);
}

stk_status stk_check_integer(const char *op, const char *name, const double pair[2], stk_error *err)
{
    if (pair[0] == floor(pair[0]) && pair[1] == floor(pair[1])) return STK_OK;
    return stk_fail(err, STK_E_INVALID, op, name, "%s=%g,%g must be whole numbers", name, pair[0],
                    pair[1]);
}

stk_status stk_check_size(const char *op, int64_t width, int64_t height, stk_error *err)
{
    if (width < 1 || height < 1)
        return stk_fail(err, STK_E_INVALID, op, NULL, "a result of %lld x %lld has no pixels",
                        (long long)width, (long long)height);
    if (width > STK_SIDE_MAX || height > STK_SIDE_MAX || width * height > STK_PIXELS_MAX)
        return stk_fail(err, STK_E_LIMIT, op, NULL,
                        "a result of %lld x %lld is more than %d a side or %d pixels in all",
                        (long long)width, (long long)height, (int)STK_SIDE_MAX,
                        (int)STK_PIXELS_MAX);
    return STK_OK;
}

stk_status stk_check_reflection(const char *op, const stk_geometry *framing, int32_t width,
                                int32_t height, stk_error *err)
{
    const stk_rect *w = &framing->window;
    if (framing->border != STK_BORDER_REFLECT ||
        (w->x > -width && w->y > -height && w->x + (int64_t)w->width < 2 * (int64_t)width &&
         w->y + (int64_t)w->height < 2 * (int64_t)height))
        return STK_OK;
    return stk_fail(err, STK_E_INVALID, op, NULL,
                    "a window of %d x %d at %d,%d reaches too far past an image of %d x %d to be "
                    "filled by its reflection; border=edge has no such limit",
                    (int)w->width, (int)w->height, (int)w->x, (int)w->y, (int)width, (int)height);
}

void stk_colour_bytes(const double colour[3], uint8_t out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = (uint8_t)lrint(fmin(fmax(colour[i], 0), 255));
}
