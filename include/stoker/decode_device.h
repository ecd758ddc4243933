/* stoker/decode_device.h - hardware that decodes JPEGs beside the CPU. A decode device takes many
 * encoded images at a time and returns a resampled region of each: the first operations of
 * preprocessing. Pipelines offload work to it (stk_iterator_options.images); the CPU decodes the
 * images that it refuses. */
#ifndef STOKER_DECODE_DEVICE_H
#define STOKER_DECODE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stoker/bytes.h>
#include <stoker/error.h>

STK_BEGIN_DECLS

/* Rounding of a resample: rows first, then columns. */
typedef enum stk_resample_rounding {
    STK_RESAMPLE_BYTES,   /* weights of 22 bits; rounded to bytes after each pass */
    STK_RESAMPLE_INTEGER, /* weights of 11 bits; rounded once, after both passes */
    STK_RESAMPLE_STEPS,   /* the same, each product of the second pass cut off to two bits */
    STK_RESAMPLE_FLOAT    /* float, one tap after the other; rounded once, halves to even */
} stk_resample_rounding;

/* Resampling along one axis: source pixels and weights of each output pixel. All source pixels lie
 * inside the image. */
typedef struct stk_resample_axis {
    int32_t        count;   /* output pixels */
    int32_t        taps;    /* source pixels of each */
    const int32_t *first;   /* count entries: the first source pixel of each */
    const void    *weights; /* count * taps: int32_t, or float with STK_RESAMPLE_FLOAT */
} stk_resample_axis;

/* One image. Its pointers stay valid until decode returns. */
typedef struct stk_decode_request {
    stk_bytes             encoded;       /* a complete JPEG: baseline, grey or YCbCr, upright */
    int32_t               width, height; /* of the image */
    int32_t               channels;      /* of the output: 1 (grey) or 3 (RGB) */
    stk_resample_axis     across, down;
    stk_resample_rounding sums;
    uint8_t              *out; /* down.count rows of across.count pixels of channels bytes */
    stk_status
        status; /* set by decode: STK_OK, or why out is not written and the CPU must decode */
} stk_decode_request;

typedef struct stk_decode_device {
    /* Decodes count images and waits; up to max_calls threads at a time. A returned error is the
     * device's: no request counts as done. */
    stk_status (*decode)(void *context, stk_decode_request *requests, size_t count, stk_error *err);
    void       *context;
    const char *name;       /* for messages */
    size_t      max_images; /* of one call; at least 1 */
    int         max_calls;  /* concurrent calls that raise the throughput; at least 1 */
    bool        exclusive;  /* CPU threads leave it all images that it supports */
} stk_decode_device;

STK_END_DECLS
#endif
