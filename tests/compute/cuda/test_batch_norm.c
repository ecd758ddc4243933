#include "base/philox.h"
#include "compute/cuda/cuda_support.h"
#include "compute/ops/batch_norm.h"
#include "compute/ops/graph_ops.h"
#include <stdlib.h>

enum { PAD8 = 4 };

#define CHANNELS(c)                                                                                \
    {                                                                                              \
        .shape = VECTOR(c), .dtype = STK_DTYPE_F32                                                 \
    }
#define POSITIVE(c)                                                                                \
    {                                                                                              \
        .shape = VECTOR(c), .dtype = STK_DTYPE_F32, .low = 0.1, .high = 2                          \
    }

/* One; odd; one register; more rows than a small kernel takes; several tiles, the last incomplete;
 * more channels than rows. */
static const stk_shape shapes[] = {
    NHWC(1, 1, 1, 1), NHWC(2, 3, 5, 3),     NHWC(3, 7, 5, 8),    NHWC(2, 5, 3, 12),
    NHWC(1, 9, 7, 8), NHWC(9, 15, 16, 72),  NHWC(2, 5, 5, 264),  NHWC(1, 2, 2, 2048),
    NHWC(4, 3, 1, 1), NHWC(300, 1, 1, 130), NHWC(1, 1, 3, 1001), NHWC(7, 2, 2, 24),
};

static const stk_activation acts[] = {
    {NULL, 0, 0},
    {&stk_activation_relu, 0, 0},
    {&stk_activation_clip, -0.25f, 0.5f},
    {&stk_activation_leaky_relu, 0.1f, 0},
    {&stk_activation_gelu, 0, 0},
    {&stk_activation_silu, 0, 0},
    {&stk_activation_sigmoid, 0, 0},
    {&stk_activation_tanh, 0, 0},
    {&stk_activation_hardswish, 0, 0},
    {&stk_activation_hardsigmoid, 0, 0},
};

static void expect_stats(stk_shape shape, stk_format have)
{
    EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_bn_stats,
                              .inputs = 1,
                              .have = have,
                              .tolerance16 = 2e-6,
                              .in = {{.shape = shape, .low = -1, .high = 3}}}));
}

STK_TEST(bn_stats)
{
    for (size_t i = 0; i < COUNT_OF(shapes); i++)
        expect_stats(shapes[i], STK_FORMAT_PLAIN);
    expect_stats(NHWC(3, 5, 5, 10), PAD8);
}

static void expect_stats_of(const float *x, stk_shape shape)
{
    EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_bn_stats,
                              .inputs = 1,
                              .only_float32 = true,
                              .tolerance = 4e-6,
                              .in = {{.shape = shape, .data = x}}}));
}

STK_TEST(bn_stats_of_small_deviations_from_a_large_mean)
{
    stk_shape  shape = NHWC(4, 17, 19, 36);
    size_t     count = (size_t)4 * 17 * 19 * 36;
    float     *x = malloc(count * sizeof *x);
    stk_random random = stk_random_for(1, 2, 3, 4);
    for (size_t i = 0; i < count; i++)
        x[i] = (float)(1000 + 0.0346 * (stk_random_double(&random) - 0.5));
    expect_stats_of(x, shape);
    for (size_t i = 0; i < 36; i++)
        x[i] = x[count - 1 - i] = 0; /* the values that others are compared with */
    expect_stats_of(x, shape);
    for (size_t i = 0; i < count; i++)
        x[i] = -123.456f;
    expect_stats_of(x, shape);
    free(x);
}

STK_TEST(bn_finalize_and_fold)
{
    static const int            counts[] = {1, 7, 128, 129, 2048};
    const stk_bn_finalize_attrs finalize = {1e-5f, 0.1f, 50};
    const stk_bn_finalize_attrs single = {1e-5f, 0.1f, 1};
    const stk_bn_fold_attrs     fold = {1e-3f};
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        int c = counts[i];
        for (int k = 0; k < 2; k++)
            EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_bn_finalize,
                                      .attrs = k ? &finalize : &single,
                                      .inputs = 6,
                                      .only_float32 = true,
                                      .in = {CHANNELS(c), POSITIVE(c), CHANNELS(c), CHANNELS(c),
                                             CHANNELS(c), POSITIVE(c)}}));
        EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_bn_fold,
                                  .attrs = &fold,
                                  .inputs = 4,
                                  .only_float32 = true,
                                  .in = {CHANNELS(c), CHANNELS(c), CHANNELS(c), POSITIVE(c)}}));
    }
}

STK_TEST(bn_stats_finalize)
{
    const stk_bn_finalize_attrs attrs = {1e-5f, 0.1f, 50};
    for (size_t i = 0; i <= COUNT_OF(shapes); i++) {
        bool      padded = i == COUNT_OF(shapes);
        stk_shape shape = padded ? (stk_shape)NHWC(3, 5, 5, 10) : shapes[i];
        int       c = (int)shape.dim[3];
        EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_bn_stats_finalize,
                                  .attrs = &attrs,
                                  .inputs = 5,
                                  .have = padded ? PAD8 : STK_FORMAT_PLAIN,
                                  .tolerance = 4e-6,
                                  .tolerance16 = 4e-6,
                                  .in = {{.shape = shape, .low = -1, .high = 3},
                                         CHANNELS(c),
                                         CHANNELS(c),
                                         CHANNELS(c),
                                         POSITIVE(c)}}));
    }
}

static void expect_apply_of(stk_shape shape, const stk_activation *act, int inputs, int outputs,
                            stk_format have)
{
    const stk_bn_apply_attrs attrs = {*act};
    int                      c = (int)shape.dim[3];
    EXPECT_CUDA((&(cuda_case){.op = &stk_graph_op_bn_apply,
                              .attrs = &attrs,
                              .inputs = inputs,
                              .outputs = outputs,
                              .have = have,
                              .in = {{.shape = shape},
                                     CHANNELS(c),
                                     CHANNELS(c),
                                     {.shape = shape},
                                     CHANNELS(c),
                                     CHANNELS(c)}}));
}

static void expect_apply(stk_shape shape, const stk_activation *act, int inputs, stk_format have)
{
    expect_apply_of(shape, act, inputs, 1, have);
}

STK_TEST(bn_apply)
{
    static const int inputs[] = {3, 4, 6};
    for (size_t k = 0; k < COUNT_OF(inputs); k++) {
        for (size_t i = 0; i < COUNT_OF(shapes); i++)
            expect_apply(shapes[i], &acts[1], inputs[k], STK_FORMAT_PLAIN);
        for (size_t a = 0; a < COUNT_OF(acts); a++) {
            expect_apply(NHWC(2, 3, 3, 16), &acts[a], inputs[k], STK_FORMAT_PLAIN);
            expect_apply(NHWC(2, 3, 3, 5), &acts[a], inputs[k], STK_FORMAT_PLAIN);
            expect_apply(NHWC(2, 3, 3, 13), &acts[a], inputs[k], PAD8);
        }
    }
    expect_apply(NHWC(0, 3, 3, 16), &acts[0], 3, STK_FORMAT_PLAIN);
}

STK_TEST(bn_apply_with_bits)
{
    static const stk_shape small[] = {NHWC(1, 1, 1, 1), NHWC(3, 5, 7, 3), NHWC(2, 5, 3, 12),
                                      NHWC(1, 9, 7, 8), NHWC(2, 5, 5, 264)};
    static const int       inputs[] = {3, 4, 6};
    for (size_t k = 0; k < COUNT_OF(inputs); k++)
        for (int a = 1; a <= 2; a++) {
            for (size_t i = 0; i < COUNT_OF(small); i++)
                expect_apply_of(small[i], &acts[a], inputs[k], 2, STK_FORMAT_PLAIN);
            expect_apply_of(NHWC(2, 3, 3, 13), &acts[a], inputs[k], 2, PAD8);
        }
}
