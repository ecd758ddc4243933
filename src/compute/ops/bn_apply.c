/* bn_apply: act(x * scale + shift + residual) with scale and shift per channel */
#include "compute/graph/gradients.h"
#include "compute/ops/batch_norm.h"
#include "compute/ops/graph_ops.h"
#include <stoker/ops.h>

enum { X, SCALE, SHIFT, RESIDUAL, RESIDUAL_SCALE, RESIDUAL_SHIFT };

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    const stk_graph_op *op = &stk_graph_op_bn_apply;
    STK_TRY(stk_op_check_float(op, instance, X, err));
    STK_TRY(stk_bn_check_channels(op, instance, SCALE, 2, err));
    if (instance->input_count > RESIDUAL)
        STK_TRY(stk_bn_check_like_first(op, instance, RESIDUAL, err));
    if (instance->input_count == RESIDUAL_SHIFT)
        return stk_fail(err, STK_E_INVALID, op->name, instance->name,
                        "the residual has a scale but no shift");
    if (instance->input_count > RESIDUAL_SHIFT)
        STK_TRY(stk_bn_check_channels(op, instance, RESIDUAL_SCALE, 2, err));
    out[0] = instance->in[X];
    out[1] = stk_bn_bits_of(&instance->in[X]);
    return STK_OK;
}

static stk_symbol channels_of(stk_graph *g, stk_symbol like, double value)
{
    return stk_fill(g, STK_DTYPE_F32, stk_symbol_shape(g, like), value);
}

/* Gradient through the batch statistics. x, gamma and beta share two sums over dy. */
static void grad_of_batch(stk_graph *g, const stk_graph_node *node, const stk_graph_node *finalize,
                          const stk_graph_node *stats, stk_symbol dy, stk_symbol *din,
                          stk_grad_sink *sink)
{
    stk_symbol        mean = stats->out[0], gamma = finalize->in[2], beta = finalize->in[3];
    stk_symbol        x = node->in[X], invstd = finalize->out[2], sums[2];
    stk_bn_grad_attrs attrs = {.mask = STK_BN_MASK_NONE};
    stk_graph_add(g, &stk_graph_op_bn_grad_sums, (stk_symbol[]){dy, x, mean, invstd}, 4, &attrs,
                  sums, 2);
    stk_graph_add(g, &stk_graph_op_bn_grad_apply,
                  (stk_symbol[]){dy, x, mean, invstd, gamma, sums[0], sums[1]}, 7, &attrs, &din[X],
                  1);
    stk_sink_add(sink, gamma, sums[0]);
    stk_sink_add(sink, beta, sums[1]);
}

/* Gradient with independent scale and shift: dscale = sum(dy x), dshift = sum(dy), which are
 * bn_grad_sums with mean 0 and invstd 1. */
static void grad_of_values(stk_graph *g, const stk_graph_node *node, stk_symbol dy, stk_symbol *din)
{
    stk_symbol         scale = node->in[SCALE], zero = channels_of(g, scale, 0);
    stk_bn_apply_attrs plain = {.act = {0}};
    stk_bn_grad_attrs  attrs = {.mask = STK_BN_MASK_NONE};
    din[X] = stk_graph_add3(g, &stk_graph_op_bn_apply, dy, scale, zero, &plain);
    stk_graph_add(g, &stk_graph_op_bn_grad_sums,
                  (stk_symbol[]){dy, node->in[X], zero, channels_of(g, scale, 1)}, 4, &attrs,
                  &din[SCALE], 2);
}

static void grad(stk_graph *g, const stk_graph_node *node, const stk_symbol *dout, stk_symbol *din,
                 stk_grad_sink *sink)
{
    const stk_bn_apply_attrs *attrs = node->attrs;
    stk_graph_node            finalize, stats;
    if (attrs->act.row || node->input_count > RESIDUAL) {
        stk_graph_fail(g, STK_E_UNSUPPORTED, "bn_apply", node->name,
                       "it has an activation or a residual fused in; take gradients before fusing");
        return;
    }
    if (!stk_graph_producer(g, node->in[SCALE], &finalize) ||
        finalize.op != &stk_graph_op_bn_finalize) {
        grad_of_values(g, node, dout[0], din);
        return;
    }
    if (finalize.out[1].id == node->in[SHIFT].id && stk_graph_producer(g, finalize.in[0], &stats) &&
        stats.op == &stk_graph_op_bn_stats && stats.out[1].id == finalize.in[1].id &&
        stats.in[0].id == node->in[X].id) {
        grad_of_batch(g, node, &finalize, &stats, dout[0], din, sink);
        return;
    }
    stk_graph_fail(g, STK_E_UNSUPPORTED, "bn_apply", node->name,
                   "its statistics are not those of its input; no gradient goes through them");
}

static stk_op_cost cost(const stk_op_instance *instance)
{
    static const double flops[] = {[3] = 2, [4] = 3, [6] = 4};
    return stk_op_cost_of_input(instance, flops[instance->input_count]);
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    const stk_bn_apply_attrs *attrs = instance->attrs;
    const float              *x = in[X], *scale = in[SCALE], *shift = in[SHIFT];
    const float              *residual = instance->input_count > RESIDUAL ? in[RESIDUAL] : NULL;
    const float *by = instance->input_count > RESIDUAL_SHIFT ? in[RESIDUAL_SCALE] : NULL;
    const float *residual_shift = by ? in[RESIDUAL_SHIFT] : NULL;
    float       *y = out[0];
    bool         has_bits = stk_bn_has_bits(&attrs->act);
    uint8_t     *bits = has_bits && instance->output_count > 1 ? out[1] : NULL;
    int64_t      channels = instance->in[SCALE].shape.dim[0],
            count = stk_type_elements(&instance->in[X]);
    for (int64_t i = 0; i < count; i++) {
        int64_t c = i % channels;
        double  sum = (double)x[i] * (double)scale[c] + (double)shift[c];
        if (by) sum += (double)residual[i] * (double)by[c] + (double)residual_shift[c];
        if (residual && !by) sum += (double)residual[i];
        y[i] = stk_activate(&attrs->act, (float)sum);
        if (!bits) continue;
        if (i % 8 == 0) bits[i / 8] = 0;
        if (attrs->act.row->slope(y[i], y[i], attrs->act.a, attrs->act.b) != 0)
            bits[i / 8] |= (uint8_t)(1 << i % 8);
    }
}

static void print(const void *attrs, char *text, size_t capacity)
{
    stk_activation_print(&((const stk_bn_apply_attrs *)attrs)->act, text, capacity);
}

const stk_graph_op stk_graph_op_bn_apply = {
    .name = "bn_apply",
    .inputs_min = 3,
    .inputs_max = 6,
    .outputs = 2,
    .outputs_min = 1,
    .attrs_size = sizeof(stk_bn_apply_attrs),
    .inplace = {1},
    .precision = STK_PRECISION_INFER,
    .stays_float32 = stk_op_is_vector,
    .infer = infer,
    .grad = grad,
    .cost = cost,
    .reference = reference,
    .print = print,
};
