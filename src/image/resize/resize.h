/* Resampling of a source box to another size, fused with writing the output (flip, cast, scale,
 * planes). */
#ifndef STK_IMAGE_RESIZE_RESIZE_H
#define STK_IMAGE_RESIZE_RESIZE_H

#include <stoker/image.h>
#include <stoker/tensor.h>

typedef enum stk_filter {
    STK_FILTER_NEAREST,
    STK_FILTER_BILINEAR,
    STK_FILTER_BICUBIC,
    STK_FILTER_AREA, /* box */
    STK_FILTER_LANCZOS,
    STK_FILTERS
} stk_filter;

/* The library whose results are matched; docs/images/resize.md says how closely. */
typedef enum stk_resize_like {
    STK_RESIZE_PIL, /* widens its filters when it shrinks (antialias); also torchvision's default */
    STK_RESIZE_OPENCV,
    STK_RESIZE_TF,
    STK_RESIZE_LIKES
} stk_resize_like;

typedef struct stk_sampling {
    stk_filter      filter;
    stk_resize_like like;
    bool            antialias; /* TF only: PIL always does, OpenCV never */
} stk_sampling;

/* How results are written: out[c] = pixel[c] * scale[c] + offset[c] for real types; uint8 takes
 * pixels as they are. */
typedef struct stk_output_format {
    stk_dtype dtype;    /* U8, F16, BF16 or F32 */
    bool      planar;   /* channels first */
    bool      scaled;   /* scale and offset count; else a plain cast */
    int32_t   channels; /* written: at least those of the pixels, the rest 0; 0: as many */
    float     scale[4], offset[4];
} stk_output_format;

/* Bytes of a result; 0 on overflow. */
size_t stk_output_format_bytes(const stk_output_format *ending, int32_t width, int32_t height,
                               int32_t channels);

typedef struct stk_resize_request {
    double            x, y, width, height;   /* the box in source pixels; inside the source */
    int32_t           out_width, out_height; /* of the complete result */
    stk_rect          part; /* the part of the result to write; flips apply after */
    bool              flip_x, flip_y;
    stk_sampling      sampling;
    stk_output_format ending;
    /* TF's real results as they are, not rounded to bytes first. Not what a chain wants: there it
     * would matter whether an operation stands between. */
    bool fractions;
} stk_resize_request;

typedef struct stk_resizer stk_resizer; /* reusable weights and rows of one thread */

STK_NODISCARD stk_status stk_resizer_new(stk_resizer **out, stk_ledger *ledger, stk_error *err);
void                     stk_resizer_free(stk_resizer *resizer); /* NULL is fine */

/* Writes part of the result of resampling the box, densely, at out (stk_output_format_bytes of it).
 * A box of the output's own size at whole pixels is a copy, bit for bit, with any filter. */
STK_NODISCARD stk_status stk_resize(stk_resizer *resizer, const stk_pixels *src,
                                    const stk_resize_request *request, void *out, stk_error *err);

/* Pixels outside of the image. */
typedef enum stk_border {
    STK_BORDER_CONSTANT,
    STK_BORDER_EDGE,
    STK_BORDER_REFLECT /* without the edge pixel: dcb|abcd|cba */
} stk_border;

/* Copies window of src (it may reach outside) in the output format; fill for STK_BORDER_CONSTANT.
 */
void stk_copy_window(const stk_pixels *src, stk_rect window, stk_border border,
                     const uint8_t fill[3], bool flip_x, bool flip_y,
                     const stk_output_format *ending, void *out);

#endif
