/* Complete graphs on the CPU backend against the reference, so that formats and kernels meet. */
#include "compute/ops/op_support.h"

static stk_symbol norm(stk_graph *g, stk_symbol x, const char *name)
{
    stk_shape            shape = stk_symbol_shape(g, x);
    stk_shape            channels = stk_shape_1d(shape.dim[shape.rank - 1]);
    stk_variable_options one = {.init = {STK_INIT_CONSTANT, 1, 0}};
    stk_variable_options statistic = {.role = STK_VARIABLE_STATISTIC};
    stk_graph_push_scope(g, name);
    stk_batch_norm with = {
        .gamma = stk_graph_variable(g, "gamma", STK_DTYPE_F32, channels, &one),
        .beta = stk_graph_variable(g, "beta", STK_DTYPE_F32, channels, NULL),
        .mean = stk_graph_variable(g, "mean", STK_DTYPE_F32, channels, &statistic),
        .var = stk_graph_variable(g, "var", STK_DTYPE_F32, channels, &statistic)};
    stk_graph_pop_scope(g);
    return stk_batch_normalize(g, x, &with);
}

/* in: image, three filters, the last matrix, labels. */
static int build(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context)
{
    bool               squeeze = context != NULL;
    stk_conv2d_options same = {.pad = {1, 1, 1, 1}};
    stk_conv2d_options deep = {.stride = {2, 2}, .pad = {1, 1, 1, 1}, .groups = 24};
    stk_pool_options   pool = {.kernel = {3, 3}, .stride = {2, 2}, .pad = {1, 1, 1, 1}};
    stk_symbol x = stk_relu(g, norm(g, stk_conv2d(g, in[0], in[1], STK_NO_SYMBOL, &same), "a"));
    stk_symbol y = norm(g, stk_conv2d(g, x, in[2], STK_NO_SYMBOL, &same), "b");
    x = stk_max_pool(g, stk_relu(g, stk_add(g, x, y)), &pool);
    x = stk_relu6(g, norm(g, stk_conv2d(g, x, in[3], STK_NO_SYMBOL, &deep), "c"));
    if (squeeze) x = stk_mul(g, x, stk_sigmoid(g, stk_reduce_mean(g, x, 6, true)));
    x = stk_global_average_pool(g, x);
    out[0] = stk_softmax_cross_entropy(g, stk_dense(g, x, in[4], STK_NO_SYMBOL), in[5], 0.1);
    return 1;
}

static void expect_net(const void *squeeze, unsigned passes_off)
{
    EXPECT_LIKE_REF(
        (&(op_case){
            .build = build,
            .context = squeeze,
            .inputs = 6,
            .passes_off = passes_off,
            .in = {{.shape = stk_shape_4d(3, 13, 12, 3)},
                   {.shape = stk_shape_4d(24, 3, 3, 3)},
                   {.shape = stk_shape_4d(24, 24, 3, 3)},
                   {.shape = stk_shape_4d(24, 1, 3, 3)},
                   {.shape = stk_shape_2d(5, 24)},
                   {.dtype = STK_DTYPE_I32, .shape = stk_shape_1d(3), .high = 5, .fixed = true}}}),
        "cpu", 1e-4);
}

STK_TEST(a_small_net_learns_the_same_on_both_backends)
{
    expect_net(NULL, 0);
    expect_net(NULL, STK_GRAPH_PASS_ALL);
    expect_net(NULL, STK_GRAPH_PASS_FUSE);
}

STK_TEST(a_net_with_squeeze_and_excite_learns_the_same_on_both_backends)
{
    expect_net("", 0);
    expect_net("", STK_GRAPH_PASS_LAYOUT);
}
