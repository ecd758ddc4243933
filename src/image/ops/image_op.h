/* An image operation: one file in this folder, with its parameters, its help and its table row.
 * It is one of three kinds, so that a chain needs few passes over the pixels (chain/):
 *   geometry   crop, resize and flip, decided from the size alone; drawn before the decode
 *   pixels     changes pixels
 *   output     sets the output format: type, scale, layout */
#ifndef STK_IMAGE_OPS_IMAGE_OP_H
#define STK_IMAGE_OPS_IMAGE_OP_H

#include "base/philox.h"
#include "edit/edit.h"
#include "image/resize/resize.h"

#include <stoker/params.h>

/* Geometry: crop a window, resample it, flip it. */
typedef struct stk_geometry {
    stk_rect     window;        /* of the source image; may exceed it with a border */
    int32_t      width, height; /* to resample to; 0: unchanged */
    stk_sampling sampling;
    bool         flip_x, flip_y;
    stk_border   border;
    uint8_t      fill[3];
} stk_geometry;

/* Mutable pixels, and a second buffer for a result of any size. */
typedef struct stk_canvas stk_canvas;
struct stk_canvas {
    stk_pixels pixels; /* dense rows; pixel ops write here */
    /* Reserves other pixels, which stk_canvas_use makes current. */
    stk_status (*reserve)(stk_canvas *canvas, int32_t width, int32_t height, int32_t channels,
                          stk_pixels *out, stk_error *err);
};
/* Makes other the canvas's pixels; the former ones become free. */
void stk_canvas_use(stk_canvas *canvas, const stk_pixels *other);

/* Sizes before and after an op; -1: unknown. */
typedef struct stk_image_size {
    int32_t   width, height;
    int32_t   channels;
    stk_dtype dtype;
    bool      planar;
} stk_image_size;

typedef struct stk_image_op {
    const char *name, *help;
    const stk_param
          *parameters; /* as stk_params reads them: a row without default_value must be given */
    size_t parameter_count;
    size_t params_bytes;
    bool   random; /* uses random numbers */
    /* Checks parameters against each other and derives values; NULL: nothing to do. */
    stk_status (*check)(void *params, stk_error *err);
    /* One of: */
    stk_status (*geometry)(const void *params, stk_random *random, int32_t width, int32_t height,
                           stk_geometry *out, stk_error *err);
    stk_status (*pixels)(const void *params, stk_random *random, stk_canvas *canvas,
                         stk_error *err);
    stk_status (*output)(const void *params, stk_output_format *ending, stk_error *err);
    /* For pixel ops: encodes the change as ops appended to edit. Draws the same random numbers as
     * the pixel op, always the same count of ops. STK_E_UNSUPPORTED names the parameter without an
     * edit op. NULL: not supported. */
    stk_status (*encode_edit)(const void *params, stk_random *random, const stk_image_size *size,
                              stk_edit *edit, stk_error *err);
    /* Computes the size after the op: -1 stays unknown unless the op fixes it. NULL: unchanged. */
    void (*measure)(const void *params, stk_image_size *size);
} stk_image_op;

/* Operations by index, NULL past the end; and by name, NULL if unknown. */
const stk_image_op *stk_image_op_at(size_t index);
const stk_image_op *stk_image_op_find(const char *name);

/* Parameters for op from text, "size=224 area=0.08,1": one malloced block to be freed by the
 * caller. An unknown name is an error with the nearest one; so is a number out of bounds. */
STK_NODISCARD stk_status stk_image_params_parse(void **out, const stk_image_op *op,
                                                const char *text, stk_error *err);
/* The whole text again, defaults included: for explain and fingerprints. Returns text. */
char *stk_image_params_text(const stk_image_op *op, const void *params, char *text, int capacity);

#define STK_IMAGE_PARAMETERS(array)                                                                \
    .parameters = (array), .parameter_count = sizeof(array) / sizeof((array)[0])

#endif
