/* add, sub, mul: values, gradients with all kinds of broadcasting, errors. */
#include "compute/ops/op_support.h"

typedef stk_symbol (*binary)(stk_graph *g, stk_symbol a, stk_symbol b);

static const binary ops[] = {stk_add, stk_sub, stk_mul};

static int build(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    out[0] = (*(const binary *)context)(g, in[0], in[1]);
    return 1;
}

static int build_known(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    const float a[] = {1, 2, 3, 4}, b[] = {10, 20};
    (void)in;
    out[0] = (*(const binary *)context)(
        g, stk_graph_constant(g, "a", STK_DTYPE_F32, stk_shape_2d(2, 2), a),
        stk_graph_constant(g, "b", STK_DTYPE_F32, stk_shape_1d(2), b));
    return 1;
}

STK_TEST(arithmetic_has_the_gradient_of_finite_differences)
{
    const stk_shape shapes[][2] = {
        {stk_shape_2d(3, 5), stk_shape_2d(3, 5)},
        {stk_shape_4d(2, 3, 1, 5), stk_shape_1d(5)},
        {stk_shape_1d(5), stk_shape_3d(2, 3, 5)},
        {stk_shape_4d(2, 1, 1, 5), stk_shape_4d(2, 3, 4, 5)},
        {stk_shape_2d(3, 1), stk_shape_2d(1, 5)},
        {stk_shape_scalar(), stk_shape_2d(3, 5)},
    };
    for (size_t o = 0; o < COUNT_OF(ops); o++)
        for (size_t i = 0; i < COUNT_OF(shapes); i++)
            EXPECT_GRADIENTS((&(op_case){.build = build,
                                         .context = &ops[o],
                                         .inputs = 2,
                                         .in = {{.shape = shapes[i][0]}, {.shape = shapes[i][1]}}}),
                             1e-2);
}

STK_TEST(arithmetic_has_the_values_that_are_known)
{
    const float known[][4] = {{11, 22, 13, 24}, {-9, -18, -7, -16}, {10, 40, 30, 80}};
    for (size_t o = 0; o < COUNT_OF(ops); o++)
        EXPECT_KNOWN((&(op_case){.build = build_known, .context = &ops[o]}), known[o], 0);
}

STK_TEST(operands_of_two_types_are_refused)
{
    stk_error  err;
    stk_graph *g;
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_mul(g, stk_graph_input(g, "a", STK_DTYPE_F32, stk_shape_1d(3)),
            stk_graph_input(g, "b", STK_DTYPE_BF16, stk_shape_1d(3)));
    EXPECT_STATUS(STK_E_TYPE, stk_graph_check(g, &err));
    EXPECT_CONTAINS("float32 and bfloat16", err.message);
    stk_graph_free(g);
}
