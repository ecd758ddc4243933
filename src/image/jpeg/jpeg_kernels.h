/* Which code a processor runs; and the state that JPEG decoding keeps between images. */
#ifndef STK_IMAGE_JPEG_JPEG_KERNELS_H
#define STK_IMAGE_JPEG_JPEG_KERNELS_H

#include "image/codec/codec.h"
#include "image/jpeg/colour.h"
#include "image/jpeg/jpeg_scan.h"
#include "image/jpeg/jpeg_upsample.h"

#include <stoker/buffer.h>

typedef struct stk_jpeg_kernels {
    const stk_scan_kernel *scan;
    stk_unstuff_fn         unstuff;
    stk_find_marker_fn     find_marker;
    stk_idct_fn            idct_8x8, idct_4x4;
    const stk_upsampler   *upsampler;
    const stk_jpeg_colour *colour;
} stk_jpeg_kernels;

extern const stk_jpeg_kernels stk_jpeg_kernels_plain, stk_jpeg_kernels_avx2,
    stk_jpeg_kernels_avx512;
const stk_jpeg_kernels *stk_jpeg_kernels_best(void);

struct stk_jpeg_decoder {
    const stk_jpeg_kernels *kernels;
    stk_huffman_cache       huffman;
    _Alignas(64) int16_t quant[4][64]; /* of the current image, in natural order */
    uint8_t     bytes[STK_SCAN_BUFFER];
    stk_buffer *memory; /* this */
};

#endif
