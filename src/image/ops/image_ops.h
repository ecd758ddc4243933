/* Every operation's table; image_op_list.c has them in order. */
#ifndef STK_IMAGE_OPS_IMAGE_OPS_H
#define STK_IMAGE_OPS_IMAGE_OPS_H

#include "image/ops/image_op.h"

/* frame */
extern const stk_image_op stk_image_op_crop, stk_image_op_centre_crop, stk_image_op_random_crop,
    stk_image_op_random_resized_crop, stk_image_op_resize, stk_image_op_flip, stk_image_op_pad,
    stk_image_op_fit;
/* paint */
extern const stk_image_op stk_image_op_rotate, stk_image_op_affine;
extern const stk_image_op stk_image_op_brightness, stk_image_op_contrast, stk_image_op_saturation,
    stk_image_op_hue, stk_image_op_gamma, stk_image_op_grey, stk_image_op_colour_jitter,
    stk_image_op_solarize, stk_image_op_posterize, stk_image_op_equalize, stk_image_op_autocontrast,
    stk_image_op_invert, stk_image_op_sharpness, stk_image_op_blur, stk_image_op_noise,
    stk_image_op_erase, stk_image_op_cutout, stk_image_op_rand_augment,
    stk_image_op_trivial_augment;
/* finish */
extern const stk_image_op stk_image_op_normalize, stk_image_op_to_float, stk_image_op_cast,
    stk_image_op_layout, stk_image_op_pad_channels;

#endif
