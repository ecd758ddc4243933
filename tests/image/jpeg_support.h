/* JPEGs made and decoded by libjpeg-turbo itself: what the decoder must equal to the bit.
 * Header-only: each test is one program. */
#ifndef STK_TESTS_JPEG_SUPPORT_H
#define STK_TESTS_JPEG_SUPPORT_H

#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <stoker/image.h>
#include <string.h>

/* jpeglib.h needs stdio.h before it. */
#include <jpeglib.h>

/* Numbers that are the same on every run. */
static inline uint32_t jpeg_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

typedef struct jpeg_recipe {
    int           width, height, components, quality;
    int           h[3], v[3];
    int           restart; /* MCUs */
    bool          optimize, progressive, arithmetic, rgb, separate;
    int           roughness; /* 0 smooth to 255 noise */
    J_COLOR_SPACE space;     /* of four components */
} jpeg_recipe;

typedef struct jpeg_image {
    uint8_t *data;
    int      width, height, channels;
} jpeg_image;

static inline void jpeg_paint(uint8_t *row, const jpeg_recipe *recipe, int y, uint64_t *state)
{
    for (int x = 0; x < recipe->width; x++)
        for (int c = 0; c < recipe->components; c++) {
            const int wave = 128 + (x * (3 + c) + y * (5 - c)) % 97 - 48;
            const int noise = (int)(jpeg_random(state) % (uint32_t)(recipe->roughness + 1));
            const int value = wave + noise - recipe->roughness / 2;
            *row++ = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
        }
}

static inline void jpeg_apply(struct jpeg_compress_struct *jpeg, const jpeg_recipe *recipe)
{
    jpeg_set_defaults(jpeg);
    if (recipe->components == 3 && recipe->rgb) jpeg_set_colorspace(jpeg, JCS_RGB);
    if (recipe->components == 4) jpeg_set_colorspace(jpeg, recipe->space);
    jpeg_set_quality(jpeg, recipe->quality, TRUE);
    jpeg->optimize_coding = recipe->optimize;
    jpeg->restart_interval = (unsigned)recipe->restart;
    jpeg->arith_code = recipe->arithmetic;
    for (int i = 0; i < recipe->components && i < 3 && recipe->h[0]; i++) {
        jpeg->comp_info[i].h_samp_factor = recipe->h[i];
        jpeg->comp_info[i].v_samp_factor = recipe->v[i];
    }
    if (recipe->progressive) jpeg_simple_progression(jpeg);
}

/* Freed by the caller. */
static inline stk_bytes jpeg_make(const jpeg_recipe *recipe, uint64_t seed)
{
    static const jpeg_scan_info one_each[3] = {
        {1, {0}, 0, 63, 0, 0}, {1, {1}, 0, 63, 0, 0}, {1, {2}, 0, 63, 0, 0}};
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr       errors;
    unsigned char              *bytes = NULL;
    unsigned long               size = 0;
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &bytes, &size);
    jpeg.image_width = (JDIMENSION)recipe->width;
    jpeg.image_height = (JDIMENSION)recipe->height;
    jpeg.input_components = recipe->components;
    jpeg.in_color_space = recipe->components == 1   ? JCS_GRAYSCALE
                          : recipe->components == 3 ? JCS_RGB
                                                    : JCS_CMYK;
    jpeg_apply(&jpeg, recipe);
    if (recipe->separate) {
        jpeg.scan_info = one_each;
        jpeg.num_scans = 3;
    }
    jpeg_start_compress(&jpeg, TRUE);
    uint8_t *row = malloc((size_t)recipe->width * (size_t)recipe->components);
    for (int y = 0; y < recipe->height; y++) {
        jpeg_paint(row, recipe, y, &seed);
        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    free(row);
    /* Exactly as large as it is, so that reading past the end is seen. */
    uint8_t *exact = malloc(size);
    memcpy(exact, bytes, size);
    free(bytes);
    return stk_bytes_of(exact, size);
}

/* Everything, by libjpeg with its defaults, as RGB or grey. Freed by the caller. */
static inline jpeg_image jpeg_reference(stk_bytes encoded, int shrink)
{
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr         errors;
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&jpeg);
    jpeg_mem_src(&jpeg, encoded.data, encoded.size);
    jpeg_read_header(&jpeg, TRUE);
    jpeg.scale_num = 1;
    jpeg.scale_denom = (unsigned)shrink;
    jpeg_start_decompress(&jpeg);
    jpeg_image   out = {.width = (int)jpeg.output_width,
                        .height = (int)jpeg.output_height,
                        .channels = jpeg.output_components};
    const size_t stride = (size_t)out.width * (size_t)out.channels;
    out.data = malloc(stride * (size_t)out.height);
    while (jpeg.output_scanline < jpeg.output_height) {
        JSAMPROW row = out.data + stride * jpeg.output_scanline;
        jpeg_read_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_decompress(&jpeg);
    jpeg_destroy_decompress(&jpeg);
    return out;
}

/* That pixels are the window of image, as RGB. */
static inline bool jpeg_same(const jpeg_image *image, stk_rect window, const stk_pixels *pixels)
{
    if (pixels->width != window.width || pixels->height != window.height) return false;
    for (int y = 0; y < window.height; y++)
        for (int x = 0; x < window.width; x++) {
            const uint8_t *got =
                pixels->data + (size_t)y * pixels->stride + (size_t)x * (size_t)pixels->channels;
            const uint8_t *want = image->data + ((size_t)(window.y + y) * (size_t)image->width +
                                                 (size_t)(window.x + x)) *
                                                    (size_t)image->channels;
            for (int c = 0; c < 3; c++)
                if (got[c] != want[image->channels == 3 ? c : 0]) return false;
        }
    return true;
}

static inline stk_rect jpeg_random_window(const jpeg_image *image, uint64_t *state)
{
    stk_rect w;
    w.x = (int32_t)(jpeg_random(state) % (uint32_t)image->width);
    w.y = (int32_t)(jpeg_random(state) % (uint32_t)image->height);
    w.width = 1 + (int32_t)(jpeg_random(state) % (uint32_t)(image->width - w.x));
    w.height = 1 + (int32_t)(jpeg_random(state) % (uint32_t)(image->height - w.y));
    return w;
}

#endif
