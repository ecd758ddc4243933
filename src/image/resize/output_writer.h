/* Writing pixels in their final form: type, scale, layout. */
#ifndef STK_IMAGE_RESIZE_OUTPUT_WRITER_H
#define STK_IMAGE_RESIZE_OUTPUT_WRITER_H

#include "image/resize/resize_kernels.h"

typedef struct stk_output_writer {
    const stk_resize_kernels *kernels;
    stk_dtype                 dtype;
    bool                      planar;
    size_t                    channels, written; /* of the pixels that come; of the result */
    size_t                    width, height;     /* of the result */
    uint8_t                  *out;
    stk_pattern patterns[4]; /* real types: by channel where planar; else the first only */
} stk_output_writer;

/* out has room for stk_output_format_bytes. */
void stk_output_format_begin(stk_output_writer *writer, const stk_resize_kernels *kernels,
                             const stk_output_format *ending, int32_t channels, int32_t width,
                             int32_t height, void *out);
/* Whether results are the pixels themselves, in their order: then they may be written to
 * stk_output_format_row without a writer's help. */
bool stk_output_format_is_plain(const stk_output_format *ending, int32_t channels);

/* Writes a run of pixels of row y from column x on. */
void stk_output_format_write(const stk_output_writer *writer, size_t x, size_t y,
                             const uint8_t *pixels, size_t count);
/* The same for pixels that are not rounded yet; real types only. */
void stk_output_format_write_real(const stk_output_writer *writer, size_t x, size_t y,
                                  const float *pixels, size_t count);

#endif
