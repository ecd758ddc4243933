/* cast between all types, bias over channels. */
#include "compute/ops/op_support.h"
#include <math.h>

enum { COUNT = 8 };

static const float values[COUNT] = {0, 1.75f, -1.75f, 300, -300, 3e9f, 1e30f, NAN};

static int build(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    stk_symbol x = stk_graph_constant(g, "x", STK_DTYPE_F32, stk_shape_1d(COUNT), values);
    (void)in;
    out[0] = stk_cast(g, stk_cast(g, x, *(const stk_dtype *)context), STK_DTYPE_F32);
    return 1;
}

STK_TEST(numbers_that_do_not_fit_become_the_nearest_that_does)
{
    static const struct {
        stk_dtype to;
        float     found[COUNT];
    } rows[] = {
        {STK_DTYPE_U8, {0, 1, 0, 255, 0, 255, 255, 0}},
        {STK_DTYPE_I8, {0, 1, -1, 127, -128, 127, 127, 0}},
        {STK_DTYPE_I32, {0, 1, -1, 300, -300, 2147483647.0f, 2147483647.0f, 0}},
        {STK_DTYPE_I64, {0, 1, -1, 300, -300, 3e9f, 9223372036854775807.0f, 0}},
        {STK_DTYPE_BOOL, {0, 1, 1, 1, 1, 1, 1, 1}},
        {STK_DTYPE_F64, {0, 1.75f, -1.75f, 300, -300, 3e9f, 1e30f, NAN}},
        {STK_DTYPE_F16, {0, 1.75f, -1.75f, 300, -300, INFINITY, INFINITY, NAN}},
        {STK_DTYPE_BF16, {0, 1.75f, -1.75f, 300, -300, 3003121664.0f, 1.0003e30f, NAN}},
    };
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        float found[COUNT];
        op_results(&(op_case){.build = build, .context = &rows[r].to}, "ref", 1, false, found,
                   COUNT);
        for (int i = 0; i < COUNT; i++) {
            float want = rows[r].found[i];
            bool  same = isnan(want)   ? isnan(found[i])
                         : isinf(want) ? found[i] == want
                                       : fabsf(found[i] - want) <= 1e-4f * fabsf(want);
            if (!same)
                fail_msg("%g as %s is %.9g, not %.9g", (double)values[i],
                         stk_dtype_name(rows[r].to), (double)found[i], (double)want);
        }
    }
}

static int build_wide(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    const int64_t wide[] = {INT64_MAX, INT64_MIN, (INT64_C(1) << 53) + 1, -7};
    (void)in, (void)context;
    stk_symbol x = stk_graph_constant(g, "x", STK_DTYPE_I64, stk_shape_1d(4), wide);
    out[0] = stk_cast(g, stk_cast(g, x, STK_DTYPE_I32), STK_DTYPE_F32);
    return 1;
}

STK_TEST(wide_integers_become_the_nearest_narrow_ones)
{
    const float known[] = {2147483647.0f, -2147483648.0f, 2147483647.0f, -7};
    EXPECT_KNOWN((&(op_case){.build = build_wide}), known, 0);
}

static int build_halves(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    (void)context;
    stk_symbol half = stk_cast(g, in[0], STK_DTYPE_BF16);
    out[0] = stk_cast(g, stk_scale(g, half, 2, 0), STK_DTYPE_F32);
    return 1;
}

/* x [2] = sin(0.9), sin(1.8) in bfloat16, doubled; gradients 2 * (sin(1.7), sin(3.4)) in it. */
STK_TEST(gradients_are_cast_back)
{
    const float known[] = {1.5703125f, 1.9453125f, 1.984375f, -0.51171875f};
    EXPECT_KNOWN((&(op_case){.build = build_halves,
                             .inputs = 1,
                             .in = {{.shape = stk_shape_1d(2), .wave = 0.9}}}),
                 known, 0);
}

static int build_bias(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    (void)context;
    out[0] = stk_bias(g, in[0], in[1]);
    return 1;
}

STK_TEST(bias_is_added_to_the_channels_of_either_layout)
{
    const stk_shape shapes[] = {stk_shape_1d(3), stk_shape_2d(5, 3), stk_shape_4d(2, 3, 2, 3)};
    for (size_t i = 0; i < COUNT_OF(shapes); i++)
        for (int layout = STK_LAYOUT_NHWC; layout <= STK_LAYOUT_NCHW; layout++)
            EXPECT_GRADIENTS((&(op_case){.build = build_bias,
                                         .inputs = 2,
                                         .layout = (stk_layout)layout,
                                         .in = {{.shape = shapes[i]}, {.shape = stk_shape_1d(3)}}}),
                             1e-2);
}

static int build_planes(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    const float bias[] = {10, 20};
    (void)in, (void)context;
    stk_symbol zero = stk_fill(g, STK_DTYPE_F32, stk_shape_4d(1, 2, 1, 3), 0);
    out[0] = stk_bias(g, zero, stk_graph_constant(g, "b", STK_DTYPE_F32, stk_shape_1d(2), bias));
    return 1;
}

STK_TEST(bias_of_planes_is_one_number_a_plane)
{
    const float known[] = {10, 10, 10, 20, 20, 20};
    EXPECT_KNOWN((&(op_case){.build = build_planes, .layout = STK_LAYOUT_NCHW}), known, 0);
}

STK_TEST(a_bias_of_other_channels_is_refused)
{
    stk_error  err;
    stk_graph *g;
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_bias(g, stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_2d(2, 3)),
             stk_graph_input(g, "b", STK_DTYPE_F32, stk_shape_1d(2)));
    EXPECT_STATUS(STK_E_SHAPE, stk_graph_check(g, &err));
    EXPECT_CONTAINS("input 1 has shape [2] but must have [3]", err.message);
    stk_graph_free(g);
}
