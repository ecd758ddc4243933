/* Writes pixels in their output format: type, scale, layout. */
#ifndef STK_IMAGE_RESIZE_OUTPUT_WRITER_H
#define STK_IMAGE_RESIZE_OUTPUT_WRITER_H

#include "image/resize/resize_kernels.h"

typedef struct stk_output_writer {
    const stk_resize_kernels *kernels;
    stk_dtype                 dtype;
    bool                      planar;
    size_t                    channels, written; /* of the input pixels; of the result */
    size_t                    width, height;     /* of the result */
    uint8_t                  *out;
    stk_pattern patterns[4]; /* float types: one per channel if planar, else only the first */
} stk_output_writer;

/* out has stk_output_format_bytes bytes. */
void stk_output_format_begin(stk_output_writer *writer, const stk_resize_kernels *kernels,
                             const stk_output_format *ending, int32_t channels, int32_t width,
                             int32_t height, void *out);
/* Whether results are the unchanged pixels: then they may be written directly to
 * stk_output_format_row. */
bool stk_output_format_is_plain(const stk_output_format *ending, int32_t channels);

/* Writes consecutive pixels of row y from column x on. */
void stk_output_format_write(const stk_output_writer *writer, size_t x, size_t y,
                             const uint8_t *pixels, size_t count);
/* The same for unrounded pixels; float types only. */
void stk_output_format_write_real(const stk_output_writer *writer, size_t x, size_t y,
                                  const float *pixels, size_t count);

#endif
