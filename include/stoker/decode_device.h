/* stoker/decode_device.h - images that something beside the processor's threads decodes.
 * An decode device takes encoded images, many at once, and gives the pixels of a part of each at
 * another size: what the first steps of preprocessing do. Pipelines lend it work beside their
 * threads (stk_iterator_options.images). What it does not take is decoded as always. */
#ifndef STOKER_IMAGES_H
#define STOKER_IMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stoker/bytes.h>
#include <stoker/error.h>

STK_BEGIN_DECLS

/* How weighted pixels are summed up: first along rows, then along columns. */
typedef enum stk_resample_rounding {
    STK_RESAMPLE_BYTES,   /* weights of 22 bits; rounded to bytes after each pass */
    STK_RESAMPLE_INTEGER, /* weights of 11 bits; rounded once, after both passes */
    STK_RESAMPLE_STEPS,   /* the same, each product of the second pass cut off to two bits */
    STK_RESAMPLE_FLOAT    /* float, one tap after the other; rounded once, halves to even */
} stk_resample_rounding;

/* What the pixels of one side of the result are made of: pixels of the image and a weight for
 * each. All of them lie inside the image. */
typedef struct stk_resample_axis {
    int32_t        count;   /* of the result */
    int32_t        taps;    /* pixels of the image that each is made of */
    const int32_t *first;   /* count: the first of them */
    const void    *weights; /* count * taps: int32_t, or float with STK_RESAMPLE_FLOAT */
} stk_resample_axis;

/* One image. All it points to stays where it is while it is worked on. */
typedef struct stk_decode_request {
    stk_bytes             encoded; /* a whole JPEG: baseline, grey or YCbCr, not to be turned */
    int32_t               width, height; /* of the image */
    int32_t               channels;      /* wanted: 1 (grey) or 3 (RGB) */
    stk_resample_axis     across, down;
    stk_resample_rounding sums;
    uint8_t              *out; /* down.count rows of across.count pixels of channels bytes */
    stk_status status; /* set: STK_OK, or why out is not written and the caller is to do it */
} stk_decode_request;

typedef struct stk_decode_device {
    /* Decodes count images and waits for them; up to lanes threads at a time. An error is one of
     * the device: no request counts as done. */
    stk_status (*decode)(void *context, stk_decode_request *requests, size_t count, stk_error *err);
    void       *context;
    const char *name;       /* for people */
    size_t      max_images; /* of one call; at least 1 */
    int         max_calls;  /* concurrent calls that raise the throughput; at least 1 */
    bool        exclusive;  /* CPU threads leave it all images that it supports */
} stk_decode_device;

STK_END_DECLS
#endif
