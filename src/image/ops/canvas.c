/* Two areas that take turns. */
#include "image/ops/canvas.h"

#include "base/checked.h"

void stk_canvas_use(stk_canvas *canvas, const stk_pixels *other)
{
    canvas->pixels = *other;
}

static stk_status measure(int32_t width, int32_t height, int32_t channels, size_t *bytes,
                          stk_error *err)
{
    if (width < 1 || height < 1 || channels < 1)
        return stk_fail(err, STK_E_INVALID, "image", NULL, "there is no space for %d x %d x %d",
                        (int)width, (int)height, (int)channels);
    if (stk_mul_overflows((size_t)width, (size_t)channels, bytes) ||
        stk_mul_overflows(*bytes, (size_t)height, bytes))
        return stk_fail(err, STK_E_LIMIT, "image", NULL, "%d x %d x %d bytes do not fit in memory",
                        (int)width, (int)height, (int)channels);
    return STK_OK;
}

static stk_status reserve(stk_canvas *canvas, int32_t width, int32_t height, int32_t channels,
                          stk_pixels *out, stk_error *err)
{
    stk_canvas_buffers *buffers = (stk_canvas_buffers *)canvas;
    const bool first_taken = canvas->pixels.data && canvas->pixels.data == buffers->areas[0].data;
    stk_blob  *area = &buffers->areas[first_taken];
    size_t     bytes = 0;
    STK_TRY(measure(width, height, channels, &bytes, err));
    STK_TRY(stk_blob_reserve_exact(area, bytes, err));
    *out = (stk_pixels){.data = area->data,
                        .width = width,
                        .height = height,
                        .channels = channels,
                        .stride = (size_t)width * (size_t)channels};
    return STK_OK;
}

void stk_canvas_buffers_init(stk_canvas_buffers *buffers, stk_ledger *ledger)
{
    *buffers = (stk_canvas_buffers){.canvas.reserve = reserve};
    for (int i = 0; i < 2; i++)
        stk_blob_init(&buffers->areas[i], ledger, STK_MEMORY_DECODE);
}

void stk_canvas_buffers_release(stk_canvas_buffers *buffers)
{
    for (int i = 0; i < 2; i++)
        stk_blob_release(&buffers->areas[i]);
    buffers->canvas.pixels = (stk_pixels){0};
}

stk_status stk_canvas_buffers_start(stk_canvas_buffers *buffers, int32_t width, int32_t height,
                                    int32_t channels, stk_error *err)
{
    stk_pixels pixels;
    STK_TRY(reserve(&buffers->canvas, width, height, channels, &pixels, err));
    stk_canvas_use(&buffers->canvas, &pixels);
    return STK_OK;
}
