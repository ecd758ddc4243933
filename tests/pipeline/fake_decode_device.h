/* An decode device for tests: the CPU's decoder and sums in plain C, late, moody or broken as
 * asked.
 */
#ifndef STK_TESTS_FAKE_DECODE_DEVICE_H
#define STK_TESTS_FAKE_DECODE_DEVICE_H

#include "image/resize/resize_kernels.h"

#include <stdlib.h>
#include <stoker/decode_device.h>
#include <stoker/image.h>
#include <string.h>
#include <unistd.h>

typedef struct fake_decode_device {
    stk_decode_device device;
    unsigned          late_us;      /* a call takes up to so long */
    unsigned          refuse;       /* one image in so many is not taken; 0: all are */
    unsigned          breaks_after; /* calls; 0: never */
    uint32_t          calls, images, at_work, most_at_work; /* atomic */
} fake_decode_device;

typedef union fake_sum {
    int32_t whole;
    float   real;
} fake_sum;

static inline int32_t fake_rounded(int32_t sum)
{
    const int32_t value = (sum + (1 << 21)) >> 22;
    return value < 0 ? 0 : value > 255 ? 255 : value;
}

/* Row y of the source along the first axis. */
static inline void fake_gather(const stk_decode_request *r, const uint8_t *row, fake_sum *out)
{
    const int32_t *fixed = r->across.weights;
    const float   *real = r->across.weights;
    for (int32_t x = 0; x < r->across.count; x++)
        for (int32_t c = 0; c < r->channels; c++, out++) {
            const uint8_t *at = row + (int64_t)r->across.first[x] * r->channels + c;
            const size_t   w = (size_t)x * (size_t)r->across.taps;
            fake_sum       sum = {0};
            for (int32_t k = 0; k < r->across.taps; k++, at += r->channels)
                if (r->sums == STK_RESAMPLE_FLOAT)
                    sum.real += real[w + (size_t)k] * (float)*at;
                else
                    sum.whole += fixed[w + (size_t)k] * *at;
            if (r->sums == STK_RESAMPLE_BYTES) sum.whole = fake_rounded(sum.whole);
            *out = sum;
        }
}

/* One byte: taps rows, stride sums apart. */
static inline uint8_t fake_combine(const stk_decode_request *r, const fake_sum *at, size_t stride,
                                   int32_t y)
{
    const size_t   w = (size_t)y * (size_t)r->down.taps;
    const int32_t *fixed = (const int32_t *)r->down.weights + w;
    const float   *real = (const float *)r->down.weights + w;
    int32_t        whole = r->sums == STK_RESAMPLE_STEPS ? 2 : 0;
    float          sum = 0;
    for (int32_t k = 0; k < r->down.taps; k++, at += stride)
        if (r->sums == STK_RESAMPLE_FLOAT)
            sum += real[k] * at->real;
        else if (r->sums == STK_RESAMPLE_STEPS)
            whole += fixed[k] * (at->whole >> 4) >> 16;
        else
            whole += fixed[k] * at->whole;
    if (r->sums == STK_RESAMPLE_FLOAT) return stk_u8_of(sum);
    return (uint8_t)(r->sums == STK_RESAMPLE_STEPS ? whole >> 2 : fake_rounded(whole));
}

/* What a device does with the pixels of an image. */
static inline void fake_resize(const stk_decode_request *r, const stk_pixels *src, uint8_t *out)
{
    const size_t stride = (size_t)r->across.count * (size_t)r->channels;
    fake_sum    *rows = malloc((size_t)r->down.taps * stride * sizeof *rows);
    for (int32_t y = 0; y < r->down.count; y++) {
        for (int32_t k = 0; k < r->down.taps; k++)
            fake_gather(r, src->data + (size_t)(r->down.first[y] + k) * src->stride,
                        rows + (size_t)k * stride);
        for (size_t x = 0; x < stride; x++)
            out[(size_t)y * stride + x] = fake_combine(r, rows + x, stride, y);
    }
    free(rows);
}

static inline stk_status fake_decode_one(stk_decoder *decoder, stk_decode_request *r)
{
    const stk_decode_options options = {.channels = r->channels, .stored_orientation = true};
    stk_pixels               pixels;
    stk_error                err;
    stk_status st = stk_image_decode(decoder, r->encoded, NULL, 1, &options, &pixels, NULL, &err);
    if (!st && (pixels.width != r->width || pixels.height != r->height)) st = STK_E_INVALID;
    if (!st) fake_resize(r, &pixels, r->out);
    return st;
}

static inline stk_status fake_decode(void *context, stk_decode_request *requests, size_t count,
                                     stk_error *err)
{
    fake_decode_device *fake = context;
    stk_decoder        *decoder;
    const uint32_t      call = __atomic_add_fetch(&fake->calls, 1, __ATOMIC_RELAXED);
    const uint32_t      now = __atomic_add_fetch(&fake->at_work, 1, __ATOMIC_RELAXED);
    uint32_t            most = __atomic_load_n(&fake->most_at_work, __ATOMIC_RELAXED);
    while (now > most && !__atomic_compare_exchange_n(&fake->most_at_work, &most, now, false,
                                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    if (fake->late_us) usleep(call * 7919 % fake->late_us);
    const bool broken = fake->breaks_after && call > fake->breaks_after;
    stk_status st =
        broken ? stk_fail(err, STK_E_UNSUPPORTED, "images", "fake", "the device has gone away")
               : stk_decoder_new(&decoder, NULL, err);
    for (size_t i = 0; i < count && !st; i++) {
        const uint32_t number = __atomic_add_fetch(&fake->images, 1, __ATOMIC_RELAXED);
        const bool     refused = fake->refuse && number % fake->refuse == 0;
        requests[i].status = refused ? STK_E_UNSUPPORTED : fake_decode_one(decoder, &requests[i]);
    }
    if (!st) stk_decoder_free(decoder);
    __atomic_sub_fetch(&fake->at_work, 1, __ATOMIC_RELAXED);
    return st;
}

static inline void fake_decode_device_init(fake_decode_device *fake, size_t most, int lanes)
{
    memset(fake, 0, sizeof *fake);
    fake->device = (stk_decode_device){
        .decode = fake_decode, .context = fake, .max_images = most, .max_calls = lanes};
}

#endif
