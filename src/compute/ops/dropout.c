/* dropout: zeroes random elements and scales the others to keep the mean */
#include "base/philox.h"
#include "compute/graph/gradients.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/update_ops.h"
#include <stdio.h>
#include <stoker/ops.h>

/* Four elements share a Philox block, one word each, so that kernels compute one block per four
 * elements. */
bool stk_dropout_keeps(const stk_dropout_attrs *attrs, int64_t step, int64_t index)
{
    const uint64_t block = (uint64_t)index / 4, step_bits = (uint64_t)step;
    const uint32_t counter[4] = {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)step_bits,
                                 attrs->stream};
    const uint32_t key[2] = {(uint32_t)attrs->seed,
                             (uint32_t)(attrs->seed >> 32) ^ (uint32_t)(step_bits >> 32)};
    const stk_philox_block drawn = stk_philox4x32(counter, key);
    return (double)drawn.word[(uint64_t)index % 4] * 0x1p-32 >= attrs->rate;
}

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    const stk_graph_op      *op = &stk_graph_op_dropout;
    const stk_dropout_attrs *attrs = instance->attrs;
    STK_TRY(stk_op_check_float(op, instance, 0, err));
    STK_TRY(stk_op_check_rank(op, instance, 1, 0, err));
    if (instance->in[1].dtype != STK_DTYPE_I64)
        return stk_fail(err, STK_E_TYPE, op->name, instance->name, "the step is %s; it takes int64",
                        stk_dtype_name(instance->in[1].dtype));
    if (attrs->rows && instance->in[0].shape.rank < 1)
        return stk_fail(err, STK_E_SHAPE, op->name, instance->name, "a scalar has no rows to drop");
    out[0] = instance->in[0];
    return STK_OK;
}

/* Equal steps drop equal elements, so the gradient is dropout of dy. */
static void grad(stk_graph *g, const stk_graph_node *node, const stk_symbol *dout, stk_symbol *din,
                 stk_grad_sink *sink)
{
    (void)sink;
    din[0] = stk_graph_add2(g, &stk_graph_op_dropout, dout[0], node->in[1], node->attrs);
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    const stk_dropout_attrs *attrs = instance->attrs;
    const float             *x = in[0];
    float                   *y = out[0], scale = (float)(1 / (1 - attrs->rate));
    int64_t count = stk_type_elements(&instance->in[0]), step = *(const int64_t *)in[1];
    int64_t group_size = attrs->rows && count ? count / instance->in[0].shape.dim[0] : 1;
    for (int64_t i = 0; i < count; i++)
        y[i] = stk_dropout_keeps(attrs, step, i / group_size) ? x[i] * scale : 0;
}

static void print(const void *attrs_, char *text, size_t capacity)
{
    const stk_dropout_attrs *attrs = attrs_;
    snprintf(text, capacity, "rate=%g stream=%u%s", attrs->rate, attrs->stream,
             attrs->rows ? " rows" : "");
}

/* Not elementwise: the result depends on the index in row-major order. */
const stk_graph_op stk_graph_op_dropout = {
    .name = "dropout",
    .inputs_min = 2,
    .inputs_max = 2,
    .outputs = 1,
    .attrs_size = sizeof(stk_dropout_attrs),
    .inplace = {1},
    .precision = STK_PRECISION_INFER,
    .infer = infer,
    .grad = grad,
    .reference = reference,
    .print = print,
};

stk_symbol stk_dropout(stk_graph *g, stk_symbol x, stk_symbol step,
                       const stk_dropout_options *options)
{
    if (!(options->rate >= 0 && options->rate < 1))
        return stk_graph_fail(g, STK_E_INVALID, "dropout", g->path,
                              "a rate of %g; it takes 0 to less than 1", options->rate);
    if (options->rate == 0) return x;
    stk_dropout_attrs attrs = {.rate = options->rate,
                               .seed = g->options.seed,
                               .stream = g->random_count++,
                               .rows = options->rows};
    return stk_graph_add2(g, &stk_graph_op_dropout, x, step, &attrs);
}
