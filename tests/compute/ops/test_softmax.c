/* softmax against PyTorch's. */
#include "compute/ops/op_support.h"
#include <math.h>

static int build(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    (void)context;
    out[0] = stk_softmax(g, in[0]);
    return 1;
}

STK_TEST(softmax_has_the_gradient_of_finite_differences)
{
    const stk_shape shapes[] = {stk_shape_1d(7), stk_shape_2d(5, 3), stk_shape_4d(2, 3, 2, 5)};
    for (size_t i = 0; i < COUNT_OF(shapes); i++)
        EXPECT_GRADIENTS((&(op_case){.build = build,
                                     .inputs = 1,
                                     .in = {{.shape = shapes[i], .low = -3, .high = 3}}}),
                         1e-2);
}

/* torch.softmax(wave(0.9) [2,4], -1): y, then dx. */
static const float known[] = {0.31211981f,  0.37762731f,  0.21864295f,  0.091609932f,
                              0.092523374f, 0.11354815f,  0.25008613f,  0.54384232f,
                              0.29208267f,  -0.11759427f, -0.21463661f, 0.040148214f,
                              0.045467526f, -0.11433683f, -0.23138148f, 0.30025077f};

STK_TEST(softmax_is_that_of_pytorch)
{
    EXPECT_KNOWN((&(op_case){.build = build,
                             .inputs = 1,
                             .in = {{.shape = stk_shape_2d(2, 4), .wave = 0.9}}}),
                 known, 1e-6);
}

static int build_large(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    const float x[] = {1e4f, 1e4f, -INFINITY, -1e4f};
    (void)in, (void)context;
    out[0] = stk_softmax(g, stk_graph_constant(g, "x", STK_DTYPE_F32, stk_shape_1d(4), x));
    return 1;
}

STK_TEST(softmax_of_large_and_masked_numbers_is_finite)
{
    const float half[] = {0.5f, 0.5f, 0, 0};
    EXPECT_KNOWN((&(op_case){.build = build_large}), half, 0);
}

STK_TEST(softmax_of_a_scalar_is_refused)
{
    stk_error  err;
    stk_graph *g;
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_softmax(g, stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_scalar()));
    EXPECT_STATUS(STK_E_SHAPE, stk_graph_check(g, &err));
    stk_graph_free(g);
}
