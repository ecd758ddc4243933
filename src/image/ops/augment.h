/* The fourteen augmentations of rand_augment and trivial_augment and their magnitudes:
 * torchvision's tables. */
#ifndef STK_IMAGE_OPS_AUGMENT_H
#define STK_IMAGE_OPS_AUGMENT_H

#include "image/ops/image_op.h"

typedef enum stk_augment {
    STK_AUGMENT_IDENTITY,
    STK_AUGMENT_SHEAR_X,
    STK_AUGMENT_SHEAR_Y,
    STK_AUGMENT_TRANSLATE_X,
    STK_AUGMENT_TRANSLATE_Y,
    STK_AUGMENT_ROTATE,
    STK_AUGMENT_BRIGHTNESS,
    STK_AUGMENT_SATURATION,
    STK_AUGMENT_CONTRAST,
    STK_AUGMENT_SHARPNESS,
    STK_AUGMENT_POSTERIZE,
    STK_AUGMENT_SOLARIZE,
    STK_AUGMENT_AUTOCONTRAST,
    STK_AUGMENT_EQUALIZE,
    STK_AUGMENTS
} stk_augment;

/* Max magnitude of each. */
typedef struct stk_augment_range {
    float shear;
    float translate_x, translate_y; /* pixels */
    float degrees;
    float enhancement; /* of brightness, saturation, contrast and sharpness: 1 +- this */
    float bits_lost;   /* by posterize */
} stk_augment_range;

/* The magnitude of augment at bin of bins (at least 2). */
double stk_augment_magnitude(const stk_augment_range *range, stk_augment augment, int bin,
                             int bins);
/* Whether the magnitude may be negated. */
bool stk_augment_is_signed(stk_augment augment);

typedef struct stk_augment_look {
    stk_filter filter;
    uint8_t    fill[3];
} stk_augment_look;

STK_NODISCARD stk_status stk_augment_apply(stk_canvas *canvas, stk_augment augment,
                                           double magnitude, const stk_augment_look *look,
                                           stk_error *err);

#endif
