/* The list of operations. */
#include "image/ops/image_ops.h"

#include <string.h>

static const stk_image_op *const ops[] = {
    /* geometry */
    &stk_image_op_crop,
    &stk_image_op_centre_crop,
    &stk_image_op_random_crop,
    &stk_image_op_random_resized_crop,
    &stk_image_op_resize,
    &stk_image_op_flip,
    &stk_image_op_pad,
    &stk_image_op_fit,
    /* pixels */
    &stk_image_op_rotate,
    &stk_image_op_affine,
    &stk_image_op_brightness,
    &stk_image_op_contrast,
    &stk_image_op_saturation,
    &stk_image_op_hue,
    &stk_image_op_gamma,
    &stk_image_op_grey,
    &stk_image_op_colour_jitter,
    &stk_image_op_solarize,
    &stk_image_op_posterize,
    &stk_image_op_equalize,
    &stk_image_op_autocontrast,
    &stk_image_op_invert,
    &stk_image_op_sharpness,
    &stk_image_op_blur,
    &stk_image_op_noise,
    &stk_image_op_erase,
    &stk_image_op_cutout,
    &stk_image_op_rand_augment,
    &stk_image_op_trivial_augment,
    /* finish */
    &stk_image_op_normalize,
    &stk_image_op_to_float,
    &stk_image_op_cast,
    &stk_image_op_layout,
    &stk_image_op_pad_channels,
};

enum { OPS = sizeof ops / sizeof ops[0] };

const stk_image_op *stk_image_op_at(size_t index)
{
    return index < OPS ? ops[index] : NULL;
}

const stk_image_op *stk_image_op_find(const char *name)
{
    for (size_t i = 0; i < OPS; i++)
        if (strcmp(ops[i]->name, name) == 0) return ops[i];
    return NULL;
}
