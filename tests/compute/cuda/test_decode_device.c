/* Images decoded and resized by the device. The emulator's decoder reads PNM; a GPU decodes JPEGs,
 * whose pixels may differ slightly from the CPU's. */
#include "compute/cuda/cuda_support.h"
#include "image/resize/resize.h"
#include "image/resize/resize_weights.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const stk_decode_device *decoder(void)
{
    const stk_decode_device *device;
    stk_error                err;
    if (stk_device_decoder(cuda_device(), &device, &err)) {
        printf("no decoder here: %s: %s\n", err.where, err.message);
        skip();
    }
    return device;
}

typedef struct image {
    stk_blob   encoded;
    stk_pixels pixels; /* decoded by the CPU; packed rows */
} image;

/* Smooth, since decoders differ in chroma interpolation. */
static void paint(stk_pixels *p, int seed)
{
    for (int32_t y = 0; y < p->height; y++)
        for (int32_t x = 0; x < p->width; x++)
            for (int32_t c = 0; c < p->channels; c++)
                p->data[(size_t)y * p->stride + (size_t)(x * p->channels + c)] =
                    (uint8_t)(128 + 90 * sin((x + seed) / 11.0 + c) * cos(y / 13.0 - c / 2.0));
}

static void make(image *p, int32_t width, int32_t height, int channels, bool subsample)
{
    stk_error  err;
    stk_pixels drawn = {.width = width, .height = height, .channels = channels};
    drawn.stride = (size_t)width * (size_t)channels;
    drawn.data = malloc((size_t)height * drawn.stride);
    paint(&drawn, width);
    stk_blob_init(&p->encoded, NULL, STK_MEMORY_OUTPUT);
    const stk_jpeg_write_options how = {.subsample = subsample};
    EXPECT_OK(cuda_is_emulated() ? stk_image_write_pnm(&p->encoded, &drawn, &err)
                                 : stk_image_write_jpeg(&p->encoded, &drawn, &how, &err));
    stk_decoder             *cpu;
    stk_pixels               lent;
    const stk_decode_options options = {.channels = channels};
    EXPECT_OK(stk_decoder_new(&cpu, NULL, &err));
    EXPECT_OK(
        stk_image_decode(cpu, stk_blob_bytes(&p->encoded), NULL, 1, &options, &lent, NULL, &err));
    for (int32_t y = 0; y < height; y++)
        memcpy(drawn.data + (size_t)y * drawn.stride, lent.data + (size_t)y * lent.stride,
               drawn.stride);
    p->pixels = drawn;
    stk_decoder_free(cpu);
}

static void drop(image *p)
{
    stk_blob_release(&p->encoded);
    free(p->pixels.data);
}

/* A request with the memory it points to. */
typedef struct asked {
    stk_axis           across, down;
    stk_resize_request resize;
    stk_decode_request request;
} asked;

static void ask(asked *a, const image *p, const stk_resize_request *resize)
{
    stk_error        err;
    stk_axis_request across, down;
    a->resize = *resize;
    stk_resize_axes(resize, &across, &down);
    down.flip = resize->flip_y;
    stk_axis_init(&a->across, NULL);
    stk_axis_init(&a->down, NULL);
    EXPECT_OK(stk_axis_build(&a->across, &across, &err));
    EXPECT_OK(stk_axis_build(&a->down, &down, &err));
    const stk_sums_kind kind = a->down.arithmetic;
    a->request = (stk_decode_request){
        .encoded = stk_blob_bytes(&p->encoded),
        .width = p->pixels.width,
        .height = p->pixels.height,
        .channels = p->pixels.channels,
        .across = {a->across.count, a->across.taps, a->across.first, a->across.fixed},
        .down = {a->down.count, a->down.taps, a->down.first, a->down.fixed},
        .sums = kind == STK_SUMS_BYTES             ? STK_RESAMPLE_BYTES
                : kind == STK_SUMS_FLOAT           ? STK_RESAMPLE_FLOAT
                : stk_axis_adds_in_steps(&a->down) ? STK_RESAMPLE_STEPS
                                                   : STK_RESAMPLE_INTEGER};
    a->request.out =
        malloc((size_t)a->across.count * (size_t)a->down.count * (size_t)p->pixels.channels);
}

static void forget(asked *a)
{
    stk_axis_release(&a->across);
    stk_axis_release(&a->down);
    free(a->request.out);
}

static stk_resize_request whole(const image *p)
{
    const int32_t w = p->pixels.width, h = p->pixels.height;
    return (stk_resize_request){.width = w,
                                .height = h,
                                .out_width = w,
                                .out_height = h,
                                .part = {0, 0, w, h},
                                .ending = {.dtype = STK_DTYPE_U8}};
}

static void expect_close(const image *p, const uint8_t *have)
{
    const size_t count = (size_t)p->pixels.height * p->pixels.stride;
    size_t       far = 0;
    double       sum = 0;
    for (size_t i = 0; i < count; i++) {
        const int d = abs(p->pixels.data[i] - have[i]);
        sum += d;
        far += d > 6;
    }
    if (sum / (double)count > (cuda_is_emulated() ? 0 : 1.5) || far * 100 > count)
        fail_msg("%d x %d x %d: mean difference %g, %zu of %zu bytes are far off", p->pixels.width,
                 p->pixels.height, p->pixels.channels, sum / (double)count, far, count);
}

/* Resizing the device's own pixels on the CPU yields the device's result. */
static void expect_resized(const image *p, const asked *a, uint8_t *pixels)
{
    stk_error    err;
    stk_resizer *resizer;
    stk_pixels   src = p->pixels;
    const size_t bytes =
        (size_t)a->resize.part.width * (size_t)a->resize.part.height * (size_t)p->pixels.channels;
    uint8_t *want = malloc(bytes);
    src.data = pixels;
    EXPECT_OK(stk_resizer_new(&resizer, NULL, &err));
    EXPECT_OK(stk_resize(resizer, &src, &a->resize, want, &err));
    EXPECT_MEM_EQ(want, a->request.out, bytes);
    stk_resizer_free(resizer);
    free(want);
}

enum { CASES = 6 };

/* The complete image, and windows that are reduced, enlarged, flipped, or partial. */
static void list_cases(const image *p, stk_sampling sampling, stk_resize_request out[CASES])
{
    const int32_t w = p->pixels.width, h = p->pixels.height;
    for (int i = 0; i < CASES; i++) {
        out[i] = whole(p);
        out[i].sampling = sampling;
    }
    out[1].out_width = 7, out[1].out_height = 9, out[1].part = (stk_rect){0, 0, 7, 9};
    out[2] = out[1];
    out[2].x = 3, out[2].y = 2, out[2].width = w - 5, out[2].height = h - 3;
    out[2].flip_x = true;
    out[3] = out[2];
    out[3].out_width = 2 * w, out[3].out_height = h + 5;
    out[3].part = (stk_rect){3, 1, w, h};
    out[3].flip_y = true;
    out[4].x = 1, out[4].y = 4, out[4].width = out[4].out_width = w - 4;
    out[4].height = out[4].out_height = h - 6;
    out[4].part = (stk_rect){0, 0, w - 4, h - 6};
    out[4].flip_x = out[4].flip_y = true;
    out[5].out_width = 1, out[5].out_height = 1, out[5].part = (stk_rect){0, 0, 1, 1};
}

static void expect_images(const image *p, stk_sampling sampling)
{
    stk_error          err;
    asked              all[CASES];
    stk_resize_request cases[CASES];
    stk_decode_request requests[CASES];
    list_cases(p, sampling, cases);
    for (int i = 0; i < CASES; i++) {
        ask(&all[i], p, &cases[i]);
        requests[i] = all[i].request;
    }
    EXPECT_OK(decoder()->decode(decoder()->context, requests, CASES, &err));
    for (int i = 0; i < CASES; i++)
        EXPECT_INT_EQ(STK_OK, requests[i].status);
    expect_close(p, requests[0].out);
    for (int i = 1; i < CASES; i++)
        expect_resized(p, &all[i], requests[0].out);
    for (int i = 0; i < CASES; i++)
        forget(&all[i]);
}

STK_TEST(images_are_decoded_and_made_of_another_size_as_by_the_cpu)
{
    static const int32_t sizes[][2] = {{23, 18}, {16, 21}};
    decoder();
    for (size_t s = 0; s < COUNT_OF(sizes); s++)
        for (int grey = 0; grey < 2; grey++) {
            const int32_t times = cuda_is_emulated() ? 1 : 13; /* engines refuse tiny images */
            image         p;
            make(&p, sizes[s][0] * times, sizes[s][1] * times, grey ? 1 : 3, s % 2);
            for (int like = 0; like < STK_RESIZE_LIKES; like++)
                for (int filter = 0; filter < STK_FILTERS; filter++)
                    expect_images(&p, (stk_sampling){.filter = (stk_filter)filter,
                                                     .like = (stk_resize_like)like,
                                                     .antialias = s % 2});
            drop(&p);
        }
}

STK_TEST(what_is_no_image_or_another_is_refused_and_the_rest_is_not)
{
    stk_error          err;
    image              good, other;
    asked              all[4];
    stk_decode_request requests[4];
    decoder();
    const int32_t times = cuda_is_emulated() ? 1 : 7;
    make(&good, 40 * times, 30 * times, 3, true);
    make(&other, 40 * times, 30 * times, 1, false);
    const stk_resize_request as_it_is = whole(&good);
    for (int i = 0; i < 4; i++)
        ask(&all[i], i == 3 ? &other : &good, &as_it_is);
    for (int i = 0; i < 4; i++)
        requests[i] = all[i].request;
    requests[1].encoded = stk_bytes_of((const uint8_t *)"not pixels", 10);
    requests[2].width--;
    EXPECT_OK(decoder()->decode(decoder()->context, requests, 4, &err));
    EXPECT_INT_EQ(STK_OK, requests[0].status);
    for (int i = 1; i < 4; i++)
        EXPECT_INT_EQ(STK_E_UNSUPPORTED, requests[i].status);
    expect_close(&good, requests[0].out);
    for (int i = 0; i < 4; i++)
        forget(&all[i]);
    drop(&good);
    drop(&other);
}

STK_TEST(more_than_it_takes_is_an_error)
{
    stk_error          err;
    stk_decode_request requests[1];
    EXPECT_STATUS(STK_E_RANGE,
                  decoder()->decode(decoder()->context, requests, decoder()->max_images + 1, &err));
    EXPECT_OK(decoder()->decode(decoder()->context, requests, 0, &err));
}

/* The emulator's decoder fails on images of odd width and height 13. */
STK_TEST(a_batch_that_fails_is_left_to_the_caller_until_it_is_too_often)
{
    enum { TIMES = 8 };
    stk_error  err;
    image      bad, good;
    asked      a, b;
    stk_status st = STK_OK;
    if (!cuda_is_emulated()) skip();
    make(&bad, 21, 13, 3, false);
    make(&good, 20, 13, 3, false);
    const stk_resize_request all = whole(&bad), most = whole(&good);
    ask(&a, &bad, &all);
    ask(&b, &good, &most);
    for (int i = 0; i < TIMES - 1; i++) {
        EXPECT_OK(decoder()->decode(decoder()->context, &a.request, 1, &err));
        EXPECT_INT_EQ(STK_E_UNSUPPORTED, a.request.status);
    }
    EXPECT_OK(decoder()->decode(decoder()->context, &b.request, 1, &err));
    EXPECT_INT_EQ(STK_OK, b.request.status);
    for (int i = 0; i < TIMES && !st; i++)
        st = decoder()->decode(decoder()->context, &a.request, 1, &err);
    EXPECT_INT_EQ(STK_E_UNSUPPORTED, st);
    forget(&a);
    forget(&b);
    drop(&bad);
    drop(&good);
}
