/* colour_jitter: brightness, contrast, saturation and hue by random amounts in a random order, as
 * torchvision's ColorJitter. */
#include "edit/edit_ops.h"
#include "image/ops/adjust.h"
#include "image/ops/check.h"
#include "image/ops/image_ops.h"

#include <math.h>

typedef struct jitter_params {
    double brightness, contrast, saturation, hue;
} jitter_params;

#define AMOUNT(amount, limit, text)                                                                \
    {                                                                                              \
        .name = #amount, .kind = STK_PARAM_DOUBLE, .offset = offsetof(jitter_params, amount),      \
        .default_value = "0", .max = (limit), .help = (text)                                       \
    }

static const stk_param parameters[] = {
    AMOUNT(brightness, STK_FACTOR_MAX - 1,
           "the factor is drawn from 1 - this (at least 0) to 1 + this"),
    AMOUNT(contrast, STK_FACTOR_MAX - 1, "in the same way"),
    AMOUNT(saturation, STK_FACTOR_MAX - 1, "in the same way"),
    AMOUNT(hue, 0.5, "the shift is drawn from minus this to this"),
};

static double draw_factor(stk_random *random, double amount)
{
    return stk_draw_uniform(random, (const double[]){fmax(0, 1 - amount), 1 + amount});
}

enum { BRIGHTNESS, CONTRAST, SATURATION, HUE, STEPS };

static void shuffle(int order[STEPS], stk_random *random)
{
    for (int i = 0; i < STEPS; i++)
        order[i] = i;
    for (int left = STEPS; left > 1; left--) {
        const int chosen = (int)stk_random_below(random, (uint64_t)left), last = order[left - 1];
        order[left - 1] = order[chosen];
        order[chosen] = last;
    }
}

/* The adjustments in order, with their factors. */
typedef struct drawing {
    int    count;
    int    step[STEPS];
    double number[STEPS];
} drawing;

/* An adjustment without amount is skipped: a factor of 1 would cost a pass. */
static drawing draw_all(const jitter_params *p, stk_random *random)
{
    const double amount[STEPS] = {p->brightness, p->contrast, p->saturation, p->hue};
    double       drawn[STEPS];
    int          order[STEPS];
    drawing      d = {0};
    shuffle(order, random);
    for (int i = BRIGHTNESS; i < HUE; i++)
        drawn[i] = draw_factor(random, amount[i]);
    drawn[HUE] = stk_draw_uniform(random, (const double[]){-p->hue, p->hue});
    for (int i = 0; i < STEPS; i++) {
        if (!(amount[order[i]] > 0)) continue;
        d.step[d.count] = order[i];
        d.number[d.count++] = drawn[order[i]];
    }
    return d;
}

static stk_status change_pixels(const void *params, stk_random *random, stk_canvas *canvas,
                                stk_error *err)
{
    static void (*const adjustments[STEPS])(const stk_pixels *, double) = {
        [BRIGHTNESS] = stk_adjust_brightness,
        [CONTRAST] = stk_adjust_contrast,
        [SATURATION] = stk_adjust_saturation,
        [HUE] = stk_adjust_hue,
    };
    const drawing d = draw_all(params, random);
    (void)err;
    for (int i = 0; i < d.count; i++)
        adjustments[d.step[i]](&canvas->pixels, d.number[i]);
    return STK_OK;
}

static stk_status encode_edit(const void *params, stk_random *random, const stk_image_size *size,
                              stk_edit *edit, stk_error *err)
{
    static const stk_edit_kind kinds[HUE] = {STK_EDIT_BRIGHTNESS, STK_EDIT_CONTRAST,
                                             STK_EDIT_SATURATION};
    const drawing              d = draw_all(params, random);
    (void)size;
    for (int i = 0; i < d.count; i++)
        STK_TRY(d.step[i] == HUE ? stk_edit_add_hue("colour_jitter", edit, d.number[i], err)
                                 : stk_edit_add_number("colour_jitter", edit, kinds[d.step[i]],
                                                       d.number[i], err));
    return STK_OK;
}

const stk_image_op stk_image_op_colour_jitter = {
    .name = "colour_jitter",
    .help = "changes brightness, contrast, saturation and hue by random amounts in a random order",
    STK_IMAGE_PARAMETERS(parameters),
    .params_bytes = sizeof(jitter_params),
    .random = true,
    .pixels = change_pixels,
    .encode_edit = encode_edit,
};
