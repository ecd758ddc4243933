/* JPEGs of every kind, made and decoded by libjpeg itself. */
#ifndef STK_TESTS_TURBO_SUPPORT_H
#define STK_TESTS_TURBO_SUPPORT_H

#include "harness.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

/* jpeglib.h needs stdio.h before it. */
#include <jpeglib.h>
#include <stoker/image.h>

typedef struct jpeg_kind {
    int           width, height, components; /* 1 grey, 3 YCbCr, 4 CMYK */
    int           h, v;                      /* sampling of the first component */
    int           quality;
    bool          progressive, arithmetic;
    int           restart; /* MCUs; 0: none */
    J_COLOR_SPACE space;   /* stored; 0: as components say */
} jpeg_kind;

/* Slopes with noise upon them: every frequency is there. */
static inline uint8_t test_sample(const jpeg_kind *kind, int x, int y, int c)
{
    const uint32_t noise =
        ((uint32_t)x * 73856093u ^ (uint32_t)y * 19349663u ^ (uint32_t)(c + 1) * 83492791u) *
        2654435761u;
    return (uint8_t)((x * 160 / kind->width + y * 60 / kind->height + c * 10) % 200 +
                     (noise >> 27));
}

static inline void prepare_jpeg(struct jpeg_compress_struct *to, const jpeg_kind *kind)
{
    to->image_width = (JDIMENSION)kind->width;
    to->image_height = (JDIMENSION)kind->height;
    to->input_components = kind->components;
    to->in_color_space = kind->components == 1   ? JCS_GRAYSCALE
                         : kind->components == 3 ? JCS_RGB
                                                 : JCS_CMYK;
    jpeg_set_defaults(to);
    if (kind->space) jpeg_set_colorspace(to, kind->space);
    jpeg_set_quality(to, kind->quality, TRUE);
    if (kind->progressive) jpeg_simple_progression(to);
    to->arith_code = kind->arithmetic;
    to->restart_interval = (unsigned)kind->restart;
    if (kind->h) to->comp_info[0].h_samp_factor = kind->h;
    if (kind->v) to->comp_info[0].v_samp_factor = kind->v;
}

/* Freed by the caller. extra, where there is one, is written as an APP1. */
static inline stk_bytes make_jpeg(const jpeg_kind *kind, stk_bytes extra)
{
    struct jpeg_error_mgr       errors;
    struct jpeg_compress_struct to = {.err = jpeg_std_error(&errors)};
    unsigned char              *data = NULL;
    unsigned long               size = 0;
    uint8_t                    *row = malloc((size_t)kind->width * (size_t)kind->components);
    jpeg_create_compress(&to);
    jpeg_mem_dest(&to, &data, &size);
    prepare_jpeg(&to, kind);
    jpeg_start_compress(&to, TRUE);
    if (extra.size) jpeg_write_marker(&to, JPEG_APP0 + 1, extra.data, (unsigned)extra.size);
    for (int y = 0; y < kind->height; y++) {
        for (int i = 0; i < kind->width * kind->components; i++)
            row[i] = test_sample(kind, i / kind->components, y, i % kind->components);
        jpeg_write_scanlines(&to, &row, 1);
    }
    jpeg_finish_compress(&to);
    jpeg_destroy_compress(&to);
    free(row);
    return stk_bytes_of(data, size);
}

typedef struct jpeg_pixels {
    uint8_t *data; /* NULL: libjpeg gave an error or a warning */
    size_t   size;
} jpeg_pixels;

typedef struct jpeg_leaving {
    struct jpeg_error_mgr errors;
    jmp_buf               leave;
} jpeg_leaving;

static inline void leave_decoding(j_common_ptr info)
{
    longjmp(((jpeg_leaving *)info->err)->leave, 1);
}

static inline void decode_rows(struct jpeg_decompress_struct *from, jpeg_pixels *out)
{
    jpeg_read_header(from, TRUE);
    jpeg_start_decompress(from);
    const size_t stride = from->output_width * (size_t)from->output_components;
    out->size = stride * from->output_height;
    out->data = malloc(out->size);
    while (from->output_scanline < from->output_height) {
        uint8_t *row = out->data + stride * from->output_scanline;
        jpeg_read_scanlines(from, &row, 1);
    }
    jpeg_finish_decompress(from);
}

/* All pixels as libjpeg gives them. */
static inline jpeg_pixels decode_jpeg(stk_bytes encoded)
{
    jpeg_leaving                  leaving;
    struct jpeg_decompress_struct from = {.err = jpeg_std_error(&leaving.errors)};
    jpeg_pixels                  *out = calloc(1, sizeof *out), result;
    leaving.errors.error_exit = leave_decoding;
    leaving.errors.output_message = leave_decoding; /* a warning */
    jpeg_create_decompress(&from);
    if (!setjmp(leaving.leave)) {
        jpeg_mem_src(&from, encoded.data, encoded.size);
        decode_rows(&from, out);
    } else {
        free(out->data);
        *out = (jpeg_pixels){0};
    }
    jpeg_destroy_decompress(&from);
    result = *out;
    free(out);
    return result;
}

#endif
