/* Results beside those of Pillow, OpenCV and TensorFlow, with the differences that docs/images
 * promises. */
#include "resize_support.h"

#include <math.h>

typedef struct record {
    int32_t filter, antialias, channels, zero, width, height, out_width, out_height;
    double  x, y, box_width, box_height;
} record;

static stk_resize_request request_of(const record *r, const stk_pixels *p, stk_resize_like like)
{
    stk_resize_request q =
        make_request(p, r->out_width, r->out_height, like, (stk_filter)r->filter);
    q.x = r->x;
    q.y = r->y;
    q.width = r->box_width;
    q.height = r->box_height;
    q.sampling.antialias = r->antialias;
    if (like == STK_RESIZE_TF) q.ending.dtype = STK_DTYPE_F32;
    q.fractions = true;
    return q;
}

static double value_at(const uint8_t *values, size_t i, stk_dtype dtype)
{
    float real = values[dtype == STK_DTYPE_U8 ? i : 0];
    if (dtype == STK_DTYPE_F32) memcpy(&real, values + i * sizeof real, sizeof real);
    return real;
}

static void expect_near(const record *r, const uint8_t *expected, const uint8_t *got, size_t bytes,
                        stk_dtype dtype, double bound)
{
    const size_t count = bytes / stk_dtype_bytes(dtype);
    for (size_t i = 0; i < count; i++) {
        const double want = value_at(expected, i, dtype), is = value_at(got, i, dtype);
        if (!(fabs(want - is) <= bound))
            fail_msg("filter %d antialias %d, %dx%d to %dx%d: value %zu is %g, expected %g",
                     r->filter, r->antialias, r->width, r->height, r->out_width, r->out_height, i,
                     is, want);
    }
}

/* Every record of a library's file, with every kernel; bounds by filter. */
static void expect_library(const char *name, stk_resize_like like, const double *bounds)
{
    const stk_bytes file = stk_test_read_file(name);
    size_t          at = 0, records = 0;
    for (; at < file.size; records++) {
        record r;
        memcpy(&r, file.data + at, sizeof r);
        at += sizeof r;
        const stk_pixels         p = make_image(r.width, r.height, r.channels);
        const stk_resize_request q = request_of(&r, &p, like);
        const size_t             bytes = result_bytes(&p, &q);
        for (int k = 0; k < KERNELS; k++) {
            if (!kernels_number(k)) continue;
            uint8_t *got = resize_with(kernels_number(k), &p, &q);
            expect_near(&r, file.data + at, got, bytes, q.ending.dtype, bounds[r.filter]);
            free(got);
        }
        at += bytes;
        free(p.data);
    }
    EXPECT_INT_EQ(file.size, at);
    EXPECT(records >= 40);
}

#define FILE_OF(library) STK_TEST_DATA "/image/resize/" library ".bin"

STK_TEST(results_are_pillows_to_the_bit)
{
    static const double bounds[STK_FILTERS] = {0};
    expect_library(FILE_OF("pillow"), STK_RESIZE_PIL, bounds);
}

STK_TEST(results_are_opencvs_within_one_level_and_nearest_to_the_bit)
{
    static const double bounds[STK_FILTERS] = {[STK_FILTER_BILINEAR] = 1,
                                               [STK_FILTER_BICUBIC] = 1,
                                               [STK_FILTER_AREA] = 1,
                                               [STK_FILTER_LANCZOS] = 1};
    expect_library(FILE_OF("opencv"), STK_RESIZE_OPENCV, bounds);
}

STK_TEST(results_are_tensorflows_within_a_fiftieth_of_a_level_and_nearest_to_the_bit)
{
    static const double bounds[STK_FILTERS] = {[STK_FILTER_BILINEAR] = 0.005,
                                               [STK_FILTER_BICUBIC] = 0.005,
                                               [STK_FILTER_AREA] = 0.02,
                                               [STK_FILTER_LANCZOS] = 0.02};
    expect_library(FILE_OF("tensorflow"), STK_RESIZE_TF, bounds);
}
