/* Shared by max and average pooling. */
#include "compute/ops/pool.h"
#include <stdio.h>
#include <string.h>

/* size is set in gradients only, whose input 0 is dy. */
stk_pool_shape stk_pool_shape_of(const stk_op_instance *instance)
{
    const stk_pool_attrs *a = instance->attrs;
    const stk_shape      *in = &instance->in[0].shape;
    int64_t               height = a->size[0] ? a->size[0] : in->dim[1];
    int64_t               width = a->size[1] ? a->size[1] : in->dim[2];
    return (stk_pool_shape){
        in->dim[0], in->dim[3],
        stk_window_of(height, a->kernel[0], a->stride[0], 1, a->pad[0], a->pad[1]),
        stk_window_of(width, a->kernel[1], a->stride[1], 1, a->pad[2], a->pad[3])};
}

/* Padding as large as the kernel would allow windows without elements. */
static stk_status check_attrs(const stk_graph_op *op, const stk_op_instance *instance,
                              stk_error *err)
{
    const stk_pool_attrs *a = instance->attrs;
    if (a->kernel[0] < 1 || a->kernel[1] < 1 || a->stride[0] < 1 || a->stride[1] < 1)
        return stk_fail(err, STK_E_INVALID, op->name, instance->name,
                        "kernel %d,%d, stride %d,%d: none may be below 1", a->kernel[0],
                        a->kernel[1], a->stride[0], a->stride[1]);
    for (int i = 0; i < 4; i++)
        if (a->pad[i] < 0 || a->pad[i] >= a->kernel[i / 2])
            return stk_fail(err, STK_E_INVALID, op->name, instance->name,
                            "padding %d,%d,%d,%d with kernel %d,%d: it takes 0 to kernel - 1",
                            a->pad[0], a->pad[1], a->pad[2], a->pad[3], a->kernel[0], a->kernel[1]);
    return STK_OK;
}

stk_status stk_pool_infer(const stk_graph_op *op, const stk_op_instance *instance,
                          stk_tensor_type *out, stk_error *err)
{
    const stk_pool_attrs *a = instance->attrs;
    STK_TRY(stk_op_check_float(op, instance, 0, err));
    STK_TRY(stk_op_check_rank(op, instance, 0, 4, err));
    STK_TRY(check_attrs(op, instance, err));
    stk_pool_shape s = stk_pool_shape_of(instance);
    if (s.down.size < 1 || s.across.size < 1 || s.down.count < 1 || s.across.count < 1)
        return stk_fail(err, STK_E_SHAPE, op->name, instance->name,
                        "a kernel of %dx%d does not fit into %lldx%lld with padding %d,%d,%d,%d",
                        a->kernel[0], a->kernel[1], (long long)s.down.size,
                        (long long)s.across.size, a->pad[0], a->pad[1], a->pad[2], a->pad[3]);
    stk_shape x = stk_shape_4d(s.batch, s.down.size, s.across.size, s.channels);
    stk_shape y = stk_shape_4d(s.batch, s.down.count, s.across.count, s.channels);
    out[0] = (stk_tensor_type){instance->in[0].dtype, a->size[0] ? x : y};
    return a->size[0] ? stk_op_check_shape(op, instance, 0, &y, "the result of the pool", err)
                      : STK_OK;
}

stk_op_cost stk_pool_cost(const stk_op_instance *instance)
{
    stk_pool_shape s = stk_pool_shape_of(instance);
    double         results = (double)s.batch * (double)s.down.count * (double)s.across.count;
    stk_op_cost c = {results * (double)s.channels * (double)(s.down.kernel * s.across.kernel), 0};
    for (int i = 0; i < instance->input_count; i++)
        c.bytes += (double)stk_type_bytes(&instance->in[i]);
    for (int o = 0; o < instance->output_count; o++)
        c.bytes += (double)stk_type_bytes(&instance->out[o]);
    return c;
}

void stk_pool_print(const void *attrs_, char *text, size_t capacity)
{
    const stk_pool_attrs *a = attrs_;
    snprintf(text, capacity, "kernel=%d,%d stride=%d,%d pad=%d,%d,%d,%d%s", a->kernel[0],
             a->kernel[1], a->stride[0], a->stride[1], a->pad[0], a->pad[1], a->pad[2], a->pad[3],
             a->count_pad ? " count_pad" : "");
}

stk_pool_attrs stk_pool_attrs_of(const stk_pool_options *options)
{
    stk_pool_attrs attrs = {.count_pad = options->count_pad};
    memcpy(attrs.kernel, options->kernel, sizeof attrs.kernel);
    memcpy(attrs.pad, options->pad, sizeof attrs.pad);
    for (int i = 0; i < 2; i++)
        attrs.stride[i] = options->stride[i] ? options->stride[i] : options->kernel[i];
    return attrs;
}

stk_pool_attrs stk_pool_grad_attrs(const stk_graph *g, const stk_graph_node *node)
{
    stk_pool_attrs attrs = *(const stk_pool_attrs *)node->attrs;
    stk_shape      x = stk_symbol_shape(g, node->in[0]);
    attrs.size[0] = (int)x.dim[1], attrs.size[1] = (int)x.dim[2];
    return attrs;
}
