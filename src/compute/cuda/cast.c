/* cast: deferred, so that all weights are cast to 16 bits in one launch. */
#include "compute/cuda_kernels/cast.h"
#include "compute/cuda/cuda_kernels.h"
#include "compute/cuda/multi_tensor.h"
#include "compute/ops/graph_ops.h"

static const stk_cuda_multi_tensor_kind casts = {"cast", STK_CUDA_CAST_ITEMS, stk_cuda_cast_launch};

static stk_status run(const stk_kernel_call *call, stk_error *err)
{
    const stk_tensor_type           *x = &call->instance.in[0], *y = &call->instance.out[0];
    const stk_cuda_cast_attrs        attrs = {(int)x->dtype, (int)y->dtype};
    int64_t                          count = stk_cuda_layout_of(x, call->in_format[0]).elements;
    const stk_cuda_multi_tensor_item item = {
        .in = {{(void *)call->in[0], (size_t)count * stk_dtype_bytes(x->dtype)}},
        .out = {{call->out[0], (size_t)count * stk_dtype_bytes(y->dtype)}},
        .count = count};
    return stk_cuda_multi_tensor_add(call->device, &casts, &attrs, sizeof attrs, &item, err);
}

/* A variable of rank 4 is a convolution's weights: it takes the convolution's format from the
 * start, or each step would reorder it. */
static stk_status formats(stk_device *device, const stk_op_instance *instance,
                          const stk_format *have, stk_format *in, stk_format *out, stk_error *err)
{
    if (have[0] != (stk_format)STK_FORMAT_ANY || instance->in[0].shape.rank != 4)
        return stk_cuda_formats_same(device, instance, have, in, out, err);
    in[0] = out[0] = STK_CUDA_WEIGHTS;
    return STK_OK;
}

const stk_kernel stk_cuda_cast = {
    .op = &stk_graph_op_cast,
    .name = "native",
    .formats = formats,
    .run = run,
    .deferred = true,
};
