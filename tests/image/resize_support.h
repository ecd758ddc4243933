/* Images of noise, requests and all kernels, for the tests of resampling. */
#ifndef STK_TESTS_RESIZE_SUPPORT_H
#define STK_TESTS_RESIZE_SUPPORT_H

#include "harness.h"
#include "image/resize/resize_kernels.h"

#include <stdlib.h>
#include <string.h>

/* The image of scripts/golden/make_resize.py. The bytes are the caller's; nothing may be read
 * past them. */
static inline stk_pixels make_image(int32_t width, int32_t height, int32_t channels)
{
    stk_pixels p = {.width = width, .height = height, .channels = channels};
    p.stride = (size_t)width * (size_t)channels;
    p.data = malloc(p.stride * (size_t)height);
    uint32_t state = (uint32_t)width * 1000 + (uint32_t)height;
    for (size_t y = 0, i = 0; y < (size_t)height; y++)
        for (size_t x = 0; x < p.stride; x++) {
            state = state * 1664525u + 1013904223u;
            const uint32_t value = state >> 24;
            p.data[i++] = (uint8_t)(y % 3 ? value : 255 * (value >> 7));
        }
    return p;
}

/* All of the image to that size, as bytes. */
static inline stk_resize_request make_request(const stk_pixels *p, int32_t width, int32_t height,
                                              stk_resize_like like, stk_filter filter)
{
    return (stk_resize_request){.width = p->width,
                                .height = p->height,
                                .out_width = width,
                                .out_height = height,
                                .part = {0, 0, width, height},
                                .sampling = {.filter = filter, .like = like},
                                .ending = {.dtype = STK_DTYPE_U8}};
}

static inline size_t result_bytes(const stk_pixels *p, const stk_resize_request *r)
{
    return stk_output_format_bytes(&r->ending, r->part.width, r->part.height, p->channels);
}

/* With kernels (NULL: the best). The bytes are the caller's. */
static inline uint8_t *resize_with(const stk_resize_kernels *kernels, const stk_pixels *p,
                                   const stk_resize_request *r)
{
    stk_error    err;
    stk_resizer *resizer;
    uint8_t     *out = malloc(result_bytes(p, r));
    EXPECT_OK(stk_resizer_new(&resizer, NULL, &err));
    if (kernels) stk_resizer_use(resizer, kernels);
    EXPECT_OK(stk_resize(resizer, p, r, out, &err));
    stk_resizer_free(resizer);
    return out;
}

static inline const stk_resize_kernels *kernels_number(int i)
{
    return i == 0   ? stk_resize_kernels_plain()
           : i == 1 ? stk_resize_kernels_avx2()
                    : stk_resize_kernels_avx512();
}

enum { KERNELS = 3 };

static inline uint32_t draw(uint32_t *state, uint32_t bound)
{
    *state = *state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(*state >> 8) * bound >> 24);
}

#endif
