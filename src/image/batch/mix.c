/* MixUp and CutMix over pairs of rows, and the plain kernels. */
#include "image/batch/mix.h"

#include "base/checked.h"
#include "image/batch/beta.h"

#include <math.h>
#include <string.h>

/* The rounding is complementary: the sum of the two levels is preserved. */
void stk_mix_u8_plain(uint8_t *a, uint8_t *b, size_t count, int fraction)
{
    for (size_t i = 0; i < count; i++) {
        const int part = ((a[i] - b[i]) * fraction + (1 << (STK_MIX_BITS - 1))) >> STK_MIX_BITS;
        const int first = b[i] + part, second = a[i] - part;
        a[i] = (uint8_t)first;
        b[i] = (uint8_t)second;
    }
}

void stk_mix_f32_plain(float *a, float *b, size_t count, float lambda)
{
    const float rest = 1 - lambda;
    for (size_t i = 0; i < count; i++) {
        const float of_a = lambda * a[i], of_b = rest * b[i];
        const float from_b = lambda * b[i], from_a = rest * a[i];
        a[i] = of_a + of_b;
        b[i] = from_b + from_a;
    }
}

/* 1 does not fit 16 signed bits; the number below it rounds to the same levels. */
static int fraction_of(double lambda)
{
    const int fraction = (int)lrint(lambda * (1 << STK_MIX_BITS));
    return fraction < (1 << STK_MIX_BITS) ? fraction : (1 << STK_MIX_BITS) - 1;
}

static void mix_u8(uint8_t *a, uint8_t *b, size_t count, double lambda)
{
    const stk_mix_u8_fn fast = stk_mix_u8_avx2();
    (fast ? fast : stk_mix_u8_plain)(a, b, count, fraction_of(lambda));
}

static void mix_f32(float *a, float *b, size_t count, double lambda)
{
    const stk_mix_f32_fn fast = stk_mix_f32_avx2();
    (fast ? fast : stk_mix_f32_plain)(a, b, count, (float)lambda);
}

static void mix_rows(const stk_mix_rows *rows, double lambda)
{
    const size_t count = (size_t)rows->row_elements;
    for (int64_t i = 0; i < rows->rows / 2; i++) {
        const size_t first = (size_t)i * count, second = (size_t)(rows->rows - 1 - i) * count;
        if (rows->dtype == STK_DTYPE_U8)
            mix_u8((uint8_t *)rows->data + first, (uint8_t *)rows->data + second, count, lambda);
        else
            mix_f32((float *)rows->data + first, (float *)rows->data + second, count, lambda);
    }
}

static stk_status check_rows(const char *op, const stk_mix_rows *images, const stk_mix_rows *labels,
                             stk_error *err)
{
    if (images->dtype != STK_DTYPE_U8 && images->dtype != STK_DTYPE_F32)
        return stk_fail(err, STK_E_TYPE, op, NULL, "images are %s: cast them to uint8 or float32",
                        stk_dtype_name(images->dtype));
    if (labels && labels->dtype != STK_DTYPE_F32)
        return stk_fail(err, STK_E_TYPE, op, NULL,
                        "labels are %s: they must be float32, a number for each class",
                        stk_dtype_name(labels->dtype));
    if (labels && labels->rows != images->rows)
        return stk_fail(err, STK_E_SHAPE, op, NULL, "%lld images have %lld labels",
                        (long long)images->rows, (long long)labels->rows);
    return STK_OK;
}

stk_status stk_mixup(const stk_mix_rows *images, const stk_mix_rows *labels, double lambda,
                     stk_error *err)
{
    STK_TRY(check_rows("mixup", images, labels, err));
    if (!(lambda >= 0 && lambda <= 1))
        return stk_fail(err, STK_E_INVALID, "mixup", NULL, "lambda is %g: it must be 0 to 1",
                        lambda);
    mix_rows(images, lambda);
    if (labels) mix_rows(labels, lambda);
    return STK_OK;
}

/* Cut to the image at either end. */
static void draw_span(stk_random *random, int32_t size, double part, int32_t *from, int32_t *length)
{
    const int32_t half = (int32_t)(size * part) / 2;
    const int32_t middle = (int32_t)stk_random_below(random, (uint64_t)size);
    const int32_t start = middle > half ? middle - half : 0;
    const int32_t end = middle < size - half ? middle + half : size;
    *from = start;
    *length = end - start;
}

stk_rect stk_cutmix_box(stk_random *random, int32_t width, int32_t height, double lambda)
{
    const double part = sqrt(1 - lambda);
    stk_rect     box;
    draw_span(random, width, part, &box.x, &box.width);
    draw_span(random, height, part, &box.y, &box.height);
    return box;
}

static double kept_of(stk_rect box, int32_t width, int32_t height)
{
    return 1 - (double)box.width * box.height / ((double)width * height);
}

stk_mix stk_mix_draw(stk_random *random, bool cut, double alpha, int32_t width, int32_t height)
{
    stk_mix mix = {.cut = cut, .lambda = stk_beta_draw(random, alpha)};
    if (!cut) return mix;
    mix.box = stk_cutmix_box(random, width, height, mix.lambda);
    mix.lambda = kept_of(mix.box, width, height);
    return mix;
}

/* An empty box mixes nothing, but an edit's box of width 0 means the whole image. */
void stk_mix_edit(const stk_mix *mix, stk_edit *edits, int64_t rows)
{
    const bool empty = mix->cut && (mix->box.width == 0 || mix->box.height == 0);
    for (int64_t i = 0; i < rows; i++) {
        const int64_t partner = rows - 1 - i;
        edits[i].partner = empty || partner == i ? -1 : (int32_t)partner;
        edits[i].fraction = (float)fraction_of(mix->lambda) / (1 << STK_MIX_BITS);
        memcpy(edits[i].box,
               (const int32_t[4]){mix->box.x, mix->box.y, mix->box.width, mix->box.height},
               sizeof edits[i].box);
    }
}

enum { CHUNK = 1024 };

static void swap_bytes(uint8_t *a, uint8_t *b, size_t bytes)
{
    uint8_t chunk[CHUNK];
    for (size_t done = 0; done < bytes; done += CHUNK) {
        const size_t now = bytes - done < CHUNK ? bytes - done : CHUNK;
        memcpy(chunk, a + done, now);
        memcpy(a + done, b + done, now);
        memcpy(b + done, chunk, now);
    }
}

/* A plane is a channel if channels come first, else the whole image. */
static void swap_boxes(uint8_t *a, uint8_t *b, const stk_mix_image *image, stk_rect box,
                       size_t element)
{
    const int32_t planes = image->planar ? image->channels : 1;
    const size_t  pixel = element * (size_t)(image->planar ? 1 : image->channels);
    const size_t  row = pixel * (size_t)image->width, plane = row * (size_t)image->height;
    for (int32_t p = 0; p < planes; p++)
        for (int32_t y = box.y; y < box.y + box.height; y++) {
            const size_t at = (size_t)p * plane + (size_t)y * row + (size_t)box.x * pixel;
            swap_bytes(a + at, b + at, (size_t)box.width * pixel);
        }
}

static stk_status check_box(const stk_mix_rows *images, const stk_mix_image *image, stk_rect box,
                            stk_error *err)
{
    int64_t elements;
    if (image->width < 1 || image->height < 1 || image->channels < 1 ||
        stk_mul_overflows_i64((int64_t)image->width * image->height, image->channels, &elements) ||
        elements != images->row_elements)
        return stk_fail(err, STK_E_SHAPE, "cutmix", NULL,
                        "images of %d x %d x %d are not the rows' %lld elements", (int)image->width,
                        (int)image->height, (int)image->channels, (long long)images->row_elements);
    if (box.x < 0 || box.y < 0 || box.width < 0 || box.height < 0 ||
        (int64_t)box.x + box.width > image->width || (int64_t)box.y + box.height > image->height)
        return stk_fail(err, STK_E_RANGE, "cutmix", NULL,
                        "a box of %d x %d at %d,%d reaches out of an image of %d x %d",
                        (int)box.width, (int)box.height, (int)box.x, (int)box.y, (int)image->width,
                        (int)image->height);
    return STK_OK;
}

stk_status stk_cutmix(const stk_mix_rows *images, const stk_mix_image *image, stk_rect box,
                      const stk_mix_rows *labels, stk_error *err)
{
    STK_TRY(check_rows("cutmix", images, labels, err));
    STK_TRY(check_box(images, image, box, err));
    const size_t element = stk_dtype_bytes(images->dtype);
    const size_t row = (size_t)images->row_elements * element;
    uint8_t     *data = images->data;
    for (int64_t i = 0; i < images->rows / 2; i++)
        swap_boxes(data + (size_t)i * row, data + (size_t)(images->rows - 1 - i) * row, image, box,
                   element);
    if (labels) mix_rows(labels, kept_of(box, image->width, image->height));
    return STK_OK;
}
