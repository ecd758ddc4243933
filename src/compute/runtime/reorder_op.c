/* reorder: changes the format of a tensor. */
#include "compute/runtime/reorder_op.h"
#include <stdio.h>

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    return stk_op_infer_same(instance, out, err);
}

static void print(const void *attrs_, char *text, size_t capacity)
{
    const stk_reorder_attrs *attrs = attrs_;
    snprintf(text, capacity, "from=%u to=%u", attrs->from, attrs->to);
}

const stk_graph_op stk_graph_op_reorder = {
    .name = "reorder",
    .inputs_min = 1,
    .inputs_max = 1,
    .outputs = 1,
    .attrs_size = sizeof(stk_reorder_attrs),
    .precision = STK_PRECISION_FOLLOW,
    .infer = infer,
    .print = print,
};

static stk_status run(const stk_kernel_call *call, stk_error *err)
{
    return call->device->backend->reorder(call->device, &call->instance.in[0], call->in_format[0],
                                          call->in[0], call->out_format[0], call->out[0], err);
}

const stk_kernel stk_kernel_reorder = {
    .op = &stk_graph_op_reorder,
    .name = "reorder",
    .run = run,
};
