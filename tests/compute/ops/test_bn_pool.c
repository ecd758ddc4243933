/* Errors of bn_pool and its gradients. tests/compute/passes/test_fuse.c compares their results with
 * the separate ops. */
#include "compute/ops/graph_ops.h"
#include "compute/ops/op_support.h"
#include "compute/ops/pool.h"
#include <stdio.h>

enum { DY, PLACES, X, MEAN, INVSTD, SCALE, SHIFT, REST };

static stk_graph *graph_of(void)
{
    stk_error  err;
    stk_graph *g;
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    return g;
}

static void expect_refused(stk_graph *g, stk_status status, const char *message)
{
    stk_error err;
    EXPECT_STATUS(status, stk_graph_check(g, &err));
    EXPECT_CONTAINS(message, err.message);
    stk_graph_free(g);
}

static const stk_pool_attrs forward = {.kernel = {3, 3}, .stride = {2, 2}, .pad = {1, 1, 1, 1}};
static const stk_pool_attrs back = {
    .kernel = {3, 3}, .stride = {2, 2}, .pad = {1, 1, 1, 1}, .size = {6, 6}};

STK_TEST(bn_pool_wants_a_image_and_values_for_its_channels)
{
    stk_graph *g = graph_of();
    stk_symbol x = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_4d(2, 6, 6, 4));
    stk_symbol c = stk_graph_input(g, "c", STK_DTYPE_F32, stk_shape_1d(3));
    stk_graph_add3(g, &stk_graph_op_bn_pool, x, c, c, &forward);
    expect_refused(g, STK_E_SHAPE, "input 1 has shape [3] but must have [4]");

    g = graph_of();
    x = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_2d(2, 4));
    c = stk_graph_input(g, "c", STK_DTYPE_F32, stk_shape_1d(4));
    stk_graph_add3(g, &stk_graph_op_bn_pool, x, c, c, &forward);
    expect_refused(g, STK_E_SHAPE, "[2,4]");
}

/* All inputs of bn_pool_grad_sums, one of them with another type. */
static stk_graph *sums_with(int wrong, stk_dtype dtype, stk_shape shape)
{
    const stk_shape y = stk_shape_4d(2, 3, 3, 4), x = stk_shape_4d(2, 6, 6, 4);
    stk_graph      *g = graph_of();
    stk_symbol      in[REST + 1], out[2];
    for (int i = 0; i <= REST; i++) {
        char name[16];
        snprintf(name, sizeof name, "in%d", i);
        stk_shape usual = i == X ? x : i < X || i == REST ? y : stk_shape_1d(4);
        in[i] = stk_graph_input(g, name,
                                i == wrong    ? dtype
                                : i == PLACES ? STK_DTYPE_U8
                                              : STK_DTYPE_F32,
                                i == wrong ? shape : usual);
    }
    stk_graph_add(g, &stk_graph_op_bn_pool_grad_sums, in, REST + 1, &back, out, 2);
    return g;
}

STK_TEST(its_gradient_wants_what_bn_pool_took_and_gave)
{
    const stk_shape y = stk_shape_4d(2, 3, 3, 4);
    expect_refused(sums_with(PLACES, STK_DTYPE_F32, y), STK_E_TYPE,
                   "the indices are float32, not uint8");
    expect_refused(sums_with(X, STK_DTYPE_F32, stk_shape_4d(2, 6, 5, 4)), STK_E_SHAPE,
                   "input 2 has shape [2,6,5,4] but must have [2,6,6,4]");
    expect_refused(sums_with(X, STK_DTYPE_BF16, stk_shape_4d(2, 6, 6, 4)), STK_E_TYPE,
                   "x is bfloat16 but dy is float32");
    expect_refused(sums_with(SHIFT, STK_DTYPE_BF16, stk_shape_1d(4)), STK_E_TYPE,
                   "values per channel are float32");
    expect_refused(sums_with(REST, STK_DTYPE_F32, stk_shape_4d(2, 3, 2, 4)), STK_E_SHAPE,
                   "input 7 has shape [2,3,2,4] but must have [2,3,3,4]");
}
