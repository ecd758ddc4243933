/* Activations: gradients by finite differences, and known values. */
#include "compute/ops/op_support.h"
#include <math.h>

typedef struct row {
    const char *name;
    stk_symbol (*make)(stk_graph *g, stk_symbol x);
    float at_minus_one, at_two;
} row;

static stk_symbol leaky(stk_graph *g, stk_symbol x)
{
    return stk_leaky_relu(g, x, 0.25);
}

static const row rows[] = {
    {"relu", stk_relu, 0, 2},
    {"relu6", stk_relu6, 0, 2},
    {"leaky_relu", leaky, -0.25f, 2},
    {"gelu", stk_gelu, -0.15865525f, 1.9544997f},
    {"silu", stk_silu, -0.26894142f, 1.7615942f},
    {"sigmoid", stk_sigmoid, 0.26894142f, 0.8807971f},
    {"tanh", stk_tanh, -0.7615942f, 0.9640276f},
    {"hardswish", stk_hardswish, -1 / 3.0f, 5 / 3.0f},
    {"hardsigmoid", stk_hardsigmoid, 1 / 3.0f, 5 / 6.0f},
};

static int build(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    out[0] = ((const row *)context)->make(g, in[0]);
    return 1;
}

static int build_known(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    const float values[2] = {-1, 2};
    (void)in;
    out[0] = ((const row *)context)
                 ->make(g, stk_graph_constant(g, "x", STK_DTYPE_F32, stk_shape_1d(2), values));
    return 1;
}

STK_TEST(activations_have_the_gradient_of_finite_differences)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        EXPECT_GRADIENTS((&(op_case){.build = build,
                                     .context = &rows[i],
                                     .inputs = 1,
                                     .in = {{.shape = stk_shape_2d(3, 7), .low = -4, .high = 7}}}),
                         2e-2);
}

STK_TEST(activations_have_the_values_that_are_known)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        float y[2];
        op_results(&(op_case){.build = build_known, .context = &rows[i]}, "ref", 1, false, y, 2);
        EXPECT(fabsf(y[0] - rows[i].at_minus_one) < 1e-6f);
        EXPECT(fabsf(y[1] - rows[i].at_two) < 1e-6f);
    }
}

STK_TEST(a_clip_of_nothing_is_refused)
{
    stk_error  err;
    stk_graph *g;
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_clip(g, stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_1d(3)), 2, 1);
    EXPECT_STATUS(STK_E_INVALID, stk_graph_check(g, &err));
    EXPECT_CONTAINS("from 2 to 1", err.message);
    stk_graph_free(g);
}
