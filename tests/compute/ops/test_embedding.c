/* embedding: gradients, PyTorch's numbers, ids out of range, errors. */
#include "compute/ops/known_values.h"

static int build(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    (void)context;
    out[0] = stk_embedding(g, in[0], in[1]);
    return 1;
}

STK_TEST(embeddings_have_the_gradient_of_finite_differences)
{
    static const stk_dtype dtypes[] = {STK_DTYPE_I32, STK_DTYPE_I64};
    for (size_t i = 0; i < COUNT_OF(dtypes); i++)
        EXPECT_GRADIENTS(
            (&(op_case){
                .build = build,
                .inputs = 2,
                .in = {{.shape = stk_shape_2d(5, 3)},
                       {.dtype = dtypes[i], .shape = stk_shape_2d(2, 7), .low = 0, .high = 5}}}),
            1e-2);
}

/* t = p(15, 7, 11).view(5, 3); y = F.embedding(torch.tensor([[4, 0], [2, 4], [4, 1]]), t)
 * (y * p(18, 3, 5).view(y.shape)).sum().backward(): y, t.grad */
static int build_known(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    static const int64_t ids[] = {4, 0, 2, 4, 4, 1};
    stk_symbol           table = pattern(g, stk_shape_2d(5, 3), 7, 11);
    (void)in, (void)context;
    out[0] = stk_embedding(g, table,
                           stk_graph_constant(g, "ids", STK_DTYPE_I64, stk_shape_2d(3, 2), ids));
    pattern_gradients(g, out[0], 3, 5, &table, 1, out + 1);
    return 2;
}

STK_TEST(an_embedding_is_that_of_pytorch)
{
    static const float expected[] = {2,  -2, 5, -5, 2,  -2, 4,  0, -4, 2, -2, 5, 2, -2, 5, 5, 1,
                                     -3, 2,  0, -2, -2, 1,  -1, 1, -1, 2, 0,  0, 0, -3, 1, 0};
    EXPECT_VALUES((&(op_case){.build = build_known}), expected, 1, 0);
}

static int build_outside(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    static const int32_t ids[] = {-1, 1, 2};
    stk_symbol           table = pattern(g, stk_shape_2d(2, 1), 7, 11);
    (void)in, (void)context;
    out[0] =
        stk_embedding(g, table, stk_graph_constant(g, "ids", STK_DTYPE_I32, stk_shape_1d(3), ids));
    pattern_gradients(g, out[0], 1, 5, &table, 1, out + 1);
    return 2;
}

STK_TEST(ids_outside_of_the_table_give_nan_and_no_gradient)
{
    float y[5];
    EXPECT_INT_EQ(5, op_results(&(op_case){.build = build_outside}, "ref", 1, false, y, 5));
    EXPECT(isnan(y[0]) && y[1] == 2 && isnan(y[2]));
    EXPECT(y[3] == 0 && y[4] == -1);
}

STK_TEST(tables_and_ids_of_another_kind_are_refused)
{
    stk_error  err;
    stk_graph *g;
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_symbol table = stk_graph_input(g, "table", STK_DTYPE_F32, stk_shape_2d(5, 3));
    stk_embedding(g, table, table);
    EXPECT_STATUS(STK_E_TYPE, stk_graph_check(g, &err));
    EXPECT_CONTAINS("ids are float32", err.message);
    stk_graph_free(g);
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_embedding(g, stk_graph_input(g, "table", STK_DTYPE_F32, stk_shape_1d(5)),
                  stk_graph_input(g, "ids", STK_DTYPE_I32, stk_shape_1d(5)));
    EXPECT_STATUS(STK_E_SHAPE, stk_graph_check(g, &err));
    EXPECT_CONTAINS("input 0 has shape [5]", err.message);
    stk_graph_free(g);
}
