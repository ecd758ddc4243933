/* matmul: gradients of all kinds of operands, errors with both shapes. */
#include "compute/ops/op_support.h"

typedef struct kind {
    stk_shape a, b;
    bool      ta, tb;
} kind;

static int build(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    const kind *k = context;
    out[0] = stk_matmul(g, in[0], in[1], &(stk_matmul_options){k->ta, k->tb});
    return 1;
}

static int build_dense(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    (void)context;
    out[0] = stk_dense(g, in[0], in[1], in[2]);
    return 1;
}

STK_TEST(products_have_the_gradient_of_finite_differences)
{
    const kind kinds[] = {
        {stk_shape_2d(3, 5), stk_shape_2d(5, 4), false, false},
        {stk_shape_2d(5, 3), stk_shape_2d(5, 4), true, false},
        {stk_shape_2d(3, 5), stk_shape_2d(4, 5), false, true},
        {stk_shape_2d(5, 3), stk_shape_2d(4, 5), true, true},
        {stk_shape_3d(2, 3, 5), stk_shape_3d(2, 5, 4), false, false},
        {stk_shape_3d(2, 3, 5), stk_shape_3d(2, 4, 5), false, true},
        {stk_shape_3d(2, 3, 5), stk_shape_2d(4, 5), false, true},
    };
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        EXPECT_GRADIENTS((&(op_case){.build = build,
                                     .context = &kinds[i],
                                     .inputs = 2,
                                     .in = {{.shape = kinds[i].a}, {.shape = kinds[i].b}}}),
                         1e-2);
}

STK_TEST(a_dense_layer_has_gradients_of_weight_and_bias)
{
    EXPECT_GRADIENTS((&(op_case){.build = build_dense,
                                 .inputs = 3,
                                 .in = {{.shape = stk_shape_3d(2, 3, 4)},
                                        {.shape = stk_shape_2d(5, 4)},
                                        {.shape = stk_shape_1d(5)}}}),
                     1e-2);
}

STK_TEST(operands_that_do_not_fit_are_named_with_both_shapes)
{
    stk_error  err;
    stk_graph *g;
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_graph_push_scope(g, "head");
    stk_matmul(g, stk_graph_input(g, "a", STK_DTYPE_F32, stk_shape_2d(3, 5)),
               stk_graph_input(g, "b", STK_DTYPE_F32, stk_shape_2d(4, 2)), NULL);
    EXPECT_STATUS(STK_E_SHAPE, stk_graph_check(g, &err));
    EXPECT_STR_EQ("matmul", err.component);
    EXPECT_STR_EQ("head", err.where);
    EXPECT_CONTAINS("5 columns but b [4,2] has 4 rows", err.message);
    stk_graph_free(g);
}
