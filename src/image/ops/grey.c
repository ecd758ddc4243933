/* grey: takes the colour out, as torchvision's Grayscale. */
#include "edit/edit_ops.h"
#include "image/ops/area.h"
#include "image/ops/image_ops.h"
#include "image/ops/luma.h"

enum { KEEP, ONE };
enum { BLOCK = 1024 };

typedef struct grey_params {
    int channels;
} grey_params;

static const stk_param parameters[] = {
    {STK_PARAM_ROW(grey_params, channels, STK_PARAM_ENUM), .default_value = "keep",
     .choices = STK_PARAM_WORDS("keep", "1"),
     .help = "of the result: keep gives three equal ones, 1 a single one"},
};

static void grey_in_place(const stk_pixels *pixels)
{
    const size_t count = stk_area_pixels(pixels);
    uint8_t      grey[BLOCK];
    for (size_t done = 0; done < count; done += BLOCK) {
        const size_t now = count - done < BLOCK ? count - done : BLOCK;
        uint8_t     *at = pixels->data + 3 * done;
        stk_luma(at, grey, now);
        stk_luma_spread(grey, at, now);
    }
}

/* Into the canvas's own memory: a level is written where its colours have been read. */
static void grey_single(stk_canvas *canvas)
{
    stk_pixels pixels = canvas->pixels;
    stk_luma(pixels.data, pixels.data, stk_area_pixels(&pixels));
    pixels.channels = 1;
    pixels.stride = (size_t)pixels.width;
    stk_canvas_use(canvas, &pixels);
}

static stk_status change_pixels(const void *params, stk_random *random, stk_canvas *canvas,
                                stk_error *err)
{
    const grey_params *p = params;
    (void)random, (void)err;
    if (canvas->pixels.channels != 3) return STK_OK;
    if (p->channels == ONE)
        grey_single(canvas);
    else
        grey_in_place(&canvas->pixels);
    return STK_OK;
}

static stk_status encode_edit(const void *params, stk_random *random, const stk_image_size *size,
                              stk_edit *edit, stk_error *err)
{
    const grey_params *p = params;
    (void)random;
    if (size->channels != 3) return STK_OK;
    if (p->channels == ONE)
        return stk_fail(err, STK_E_UNSUPPORTED, "grey", "channels",
                        "on a device an image keeps its channels: leave channels=1 out");
    return stk_edit_add_word("grey", edit, STK_EDIT_GREY, 0, err);
}

static void measure(const void *params, stk_image_size *size)
{
    const grey_params *p = params;
    if (p->channels == ONE) size->channels = 1;
}

const stk_image_op stk_image_op_grey = {
    .name = "grey",
    .help = "takes the colour out",
    STK_IMAGE_PARAMETERS(parameters),
    .params_bytes = sizeof(grey_params),
    .pixels = change_pixels,
    .encode_edit = encode_edit,
    .measure = measure,
};
