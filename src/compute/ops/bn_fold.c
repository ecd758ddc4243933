/* bn_fold: running statistics to scale and shift, for inference */
#include "compute/graph/gradients.h"
#include "compute/ops/batch_norm.h"
#include "compute/ops/graph_ops.h"
#include <math.h>
#include <stdio.h>
#include <stoker/ops.h>

enum { GAMMA, BETA, MEAN, VAR, INPUTS };

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    STK_TRY(stk_op_check_rank(&stk_graph_op_bn_fold, instance, GAMMA, 1, err));
    STK_TRY(stk_bn_check_channels(&stk_graph_op_bn_fold, instance, GAMMA, INPUTS, err));
    out[0] = out[1] = instance->in[GAMMA];
    return STK_OK;
}

/* With gamma 1 and beta 0 folding yields invstd and -mean * invstd, the derivatives by gamma.
 * Statistics are not learned and get no gradient. */
static void grad(stk_graph *g, const stk_graph_node *node, const stk_symbol *dout, stk_symbol *din,
                 stk_grad_sink *sink)
{
    stk_shape  channels = stk_symbol_shape(g, node->in[GAMMA]);
    stk_symbol unit[2], by_scale = STK_NO_SYMBOL, by_shift = STK_NO_SYMBOL;
    (void)sink;
    stk_graph_add(g, &stk_graph_op_bn_fold,
                  (stk_symbol[]){stk_fill(g, STK_DTYPE_F32, channels, 1),
                                 stk_fill(g, STK_DTYPE_F32, channels, 0), node->in[MEAN],
                                 node->in[VAR]},
                  INPUTS, node->attrs, unit, 2);
    if (!stk_symbol_is_none(dout[0])) by_scale = stk_mul(g, dout[0], unit[0]);
    if (!stk_symbol_is_none(dout[1])) by_shift = stk_mul(g, dout[1], unit[1]);
    bool both = !stk_symbol_is_none(by_scale) && !stk_symbol_is_none(by_shift);
    din[GAMMA] = both                           ? stk_add(g, by_scale, by_shift)
                 : stk_symbol_is_none(by_scale) ? by_shift
                                                : by_scale;
    din[BETA] = dout[1];
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    const stk_bn_fold_attrs *attrs = instance->attrs;
    const float             *gamma = in[GAMMA], *beta = in[BETA], *mean = in[MEAN], *var = in[VAR];
    float                   *scale = out[0], *shift = out[1];
    for (int64_t c = 0; c < instance->in[GAMMA].shape.dim[0]; c++) {
        double by = (double)gamma[c] / sqrt((double)var[c] + (double)attrs->epsilon);
        scale[c] = (float)by;
        shift[c] = (float)((double)beta[c] - (double)mean[c] * by);
    }
}

static void print(const void *attrs, char *text, size_t capacity)
{
    snprintf(text, capacity, "epsilon=%g", (double)((const stk_bn_fold_attrs *)attrs)->epsilon);
}

const stk_graph_op stk_graph_op_bn_fold = {
    .name = "bn_fold",
    .inputs_min = INPUTS,
    .inputs_max = INPUTS,
    .outputs = 2,
    .attrs_size = sizeof(stk_bn_fold_attrs),
    .precision = STK_PRECISION_KEEP,
    .infer = infer,
    .grad = grad,
    .reference = reference,
    .print = print,
};
