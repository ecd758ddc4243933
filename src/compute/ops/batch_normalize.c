/* Builds batch norm from its pieces. */
#include "compute/ops/batch_norm.h"
#include "compute/ops/graph_ops.h"
#include <stoker/ops.h>

static stk_symbol or_fill(stk_graph *g, stk_symbol symbol, stk_shape channels, double value)
{
    return stk_symbol_is_none(symbol) ? stk_fill(g, STK_DTYPE_F32, channels, value) : symbol;
}

static stk_symbol apply(stk_graph *g, stk_symbol x, const stk_symbol *scale_shift)
{
    stk_bn_apply_attrs attrs = {.act = {0}};
    return stk_graph_add3(g, &stk_graph_op_bn_apply, x, scale_shift[0], scale_shift[1], &attrs);
}

static stk_symbol with_running(stk_graph *g, stk_symbol x, const stk_batch_norm *norm)
{
    stk_bn_fold_attrs attrs = {(float)norm->epsilon};
    stk_symbol        folded[2];
    stk_graph_add(g, &stk_graph_op_bn_fold,
                  (stk_symbol[]){norm->gamma, norm->beta, norm->mean, norm->var}, 4, &attrs, folded,
                  2);
    return apply(g, x, folded);
}

static stk_symbol with_batch(stk_graph *g, stk_symbol x, const stk_batch_norm *norm)
{
    stk_tensor_type type = {STK_DTYPE_F32, stk_symbol_shape(g, x)};
    int64_t         channels = type.shape.rank ? type.shape.dim[type.shape.rank - 1] : 0;
    stk_symbol      stats[2], final[5];
    stk_graph_add(g, &stk_graph_op_bn_stats, &x, 1, NULL, stats, 2);
    stk_bn_finalize_attrs attrs = {.epsilon = (float)norm->epsilon,
                                   .momentum = (float)norm->momentum,
                                   .count = channels ? stk_type_elements(&type) / channels : 0};
    stk_graph_add(
        g, &stk_graph_op_bn_finalize,
        (stk_symbol[]){stats[0], stats[1], norm->gamma, norm->beta, norm->mean, norm->var}, 6,
        &attrs, final, 5);
    stk_graph_assign(g, norm->mean, final[3]);
    stk_graph_assign(g, norm->var, final[4]);
    return apply(g, x, final);
}

stk_symbol stk_batch_normalize(stk_graph *g, stk_symbol x, const stk_batch_norm *norm)
{
    stk_batch_norm with = *norm;
    if (with.epsilon == 0) with.epsilon = 1e-5;
    if (with.momentum == 0) with.momentum = 0.1;
    if (!(with.epsilon > 0) || !(with.momentum > 0 && with.momentum <= 1))
        return stk_graph_fail(g, STK_E_INVALID, "batch norm", g->path,
                              "epsilon %g and momentum %g; they must be above 0, and momentum at "
                              "most 1",
                              with.epsilon, with.momentum);
    if (stk_symbol_is_none(with.mean) || stk_symbol_is_none(with.var))
        return stk_graph_fail(g, STK_E_INVALID, "batch norm", g->path,
                              "it has no running statistics; give mean and var as variables [C]");
    x = stk_to_nhwc(g, x);
    stk_shape shape = stk_symbol_shape(g, x);
    stk_shape channels = stk_shape_1d(shape.rank ? shape.dim[shape.rank - 1] : 0);
    with.gamma = or_fill(g, with.gamma, channels, 1);
    with.beta = or_fill(g, with.beta, channels, 0);
    return stk_from_nhwc(g, with.inference ? with_running(g, x, &with) : with_batch(g, x, &with));
}
