/* erase: a random rectangle is wiped out, as torchvision's RandomErasing. */
#include "edit/edit_ops.h"
#include "image/ops/area.h"
#include "image/ops/check.h"
#include "image/ops/image_fill.h"
#include "image/ops/image_ops.h"

#include <math.h>

enum { CONSTANT, RANDOM, MEAN };
enum { TRIES = 10 };

typedef struct erase_params {
    double area[2], aspect[2], fill[3];
    int    value;
} erase_params;

static const stk_param parameters[] = {
    {STK_PARAM_ROW(erase_params, area, STK_PARAM_NUMBERS), .count = 2, .default_value = "0.02,0.33",
     .max = 1, .help = "part of the image, drawn from this range"},
    {STK_PARAM_ROW(erase_params, aspect, STK_PARAM_NUMBERS), .count = 2, .default_value = "0.3,3.3",
     .min = 0.001, .max = 1000,
     .help = "height by width, drawn from this range, evenly in its logarithm"},
    {STK_PARAM_ROW(erase_params, value, STK_PARAM_ENUM), .default_value = "constant",
     .choices = STK_PARAM_WORDS("constant", "random", "mean"),
     .help = "fill's colour, a random level for each byte, or the image's mean colour"},
    {STK_PARAM_ROW(erase_params, fill, STK_PARAM_NUMBERS), .count = 3, .default_value = "0",
     .max = 255, .help = "the colour for value=constant"},
};

static stk_status check(void *params, stk_error *err)
{
    const erase_params *p = params;
    STK_TRY(stk_check_range("erase", "area", p->area, err));
    return stk_check_range("erase", "aspect", p->aspect, err);
}

/* False where no try fits: then nothing is erased. A side of 0 erases nothing either. */
static bool draw_rect(const erase_params *p, stk_random *random, int32_t wide, int32_t high,
                      stk_rect *out)
{
    const double all = (double)wide * high;
    const double logs[2] = {log(p->aspect[0]), log(p->aspect[1])};
    for (int i = 0; i < TRIES; i++) {
        const double area = all * stk_draw_uniform(random, p->area);
        const double aspect = exp(stk_draw_uniform(random, logs));
        const double height = rint(sqrt(area * aspect)), width = rint(sqrt(area / aspect));
        if (height >= high || width >= wide) continue;
        const int32_t w = (int32_t)width, h = (int32_t)height;
        *out = (stk_rect){.width = w, .height = h};
        out->y = (int32_t)stk_random_below(random, (uint64_t)(high - h) + 1);
        out->x = (int32_t)stk_random_below(random, (uint64_t)(wide - w) + 1);
        return true;
    }
    return false;
}

static void mean_colour(const stk_pixels *pixels, uint8_t out[3])
{
    const size_t count = stk_area_pixels(pixels), channels = (size_t)pixels->channels;
    uint64_t     sums[3] = {0};
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < channels; c++)
            sums[c] += pixels->data[i * channels + c];
    for (size_t c = 0; c < channels; c++)
        out[c] = (uint8_t)((2 * sums[c] + count) / (2 * count));
}

static void fill_random(const stk_pixels *pixels, stk_rect area, stk_random *random)
{
    const size_t bytes = (size_t)area.width * (size_t)pixels->channels;
    for (int32_t y = 0; y < area.height; y++) {
        uint8_t *row = pixels->data + (size_t)(area.y + y) * pixels->stride +
                       (size_t)area.x * (size_t)pixels->channels;
        uint32_t word = 0;
        for (size_t i = 0; i < bytes; i++, word >>= 8) {
            if (i % 4 == 0) word = stk_random_u32(random);
            row[i] = (uint8_t)word;
        }
    }
}

static stk_status change_pixels(const void *params, stk_random *random, stk_canvas *canvas,
                                stk_error *err)
{
    const erase_params *p = params;
    const stk_pixels   *pixels = &canvas->pixels;
    uint8_t             colour[3];
    stk_rect            area;
    (void)err;
    if (!draw_rect(p, random, pixels->width, pixels->height, &area)) return STK_OK;
    if (p->value == RANDOM) {
        fill_random(&canvas->pixels, area, random);
        return STK_OK;
    }
    stk_colour_bytes(p->fill, colour);
    if (p->value == MEAN) mean_colour(&canvas->pixels, colour);
    stk_fill_rect(&canvas->pixels, area, colour);
    return STK_OK;
}

static stk_status encode_edit(const void *params, stk_random *random, const stk_image_size *size,
                              stk_edit *edit, stk_error *err)
{
    const erase_params *p = params;
    uint8_t             colour[3];
    stk_rect            area;
    if (p->value != CONSTANT)
        return stk_fail(err, STK_E_UNSUPPORTED, "erase", "value",
                        "on a device there is value=constant only");
    if (!draw_rect(p, random, size->width, size->height, &area)) area = (stk_rect){0};
    stk_colour_bytes(p->fill, colour);
    return stk_edit_add_rect("erase", edit, area.x, area.y, area.width, area.height, colour, err);
}

const stk_image_op stk_image_op_erase = {
    .name = "erase",
    .help = "wipes out a random rectangle",
    STK_IMAGE_PARAMETERS(parameters),
    .params_bytes = sizeof(erase_params),
    .random = true,
    .check = check,
    .pixels = change_pixels,
    .encode_edit = encode_edit,
};
