/* Ops that move elements: reshape, broadcast, transpose, slice, concat, pad; and fill. */
#include "compute/cuda_kernels/move.h"
#include "compute/cuda/cuda_kernels.h"
#include "compute/cuda/tensor_iter.h"
#include "compute/ops/broadcast_index.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/shapes.h"
#include "tensor/half.h"
#include <string.h>

static stk_status move(const stk_kernel_call *call, stk_cuda_tensor_iter iter, const void *src,
                       void *dst, stk_error *err)
{
    iter.tensors = 2;
    stk_cuda_tensor_iter_join(&iter);
    size_t width =
        stk_cuda_tensor_iter_widen(&iter, stk_dtype_bytes(call->instance.out[0].dtype), src, dst);
    return stk_cuda_launched(
        call, stk_cuda_move_launch(&iter, width, src, dst, stk_cuda_of(call->device)->stream), err);
}

static stk_cuda_tensor_iter iter_over(const stk_shape *shape)
{
    stk_cuda_tensor_iter iter = {.rank = shape->rank};
    for (int d = 0; d < shape->rank; d++)
        iter.size[d] = shape->dim[d];
    return iter;
}

/* Byte offset of a box with origin start in a tensor with these strides. */
static size_t begin_of(const stk_op_instance *instance, const int64_t *start, const int64_t *step)
{
    int64_t at = 0;
    for (int d = 0; d < instance->out[0].shape.rank; d++)
        at += start[d] * step[d];
    return (size_t)at * stk_dtype_bytes(instance->out[0].dtype);
}

static stk_status run_reshape(const stk_kernel_call *call, stk_error *err)
{
    size_t bytes = stk_type_bytes(&call->instance.in[0]);
    if (call->in[0] == call->out[0] || bytes == 0) return STK_OK;
    STK_CUDA_TRY(cudaMemcpyAsync(call->out[0], call->in[0], bytes, cudaMemcpyDeviceToDevice,
                                 stk_cuda_of(call->device)->stream),
                 call->instance.name, err);
    return STK_OK;
}

static stk_status run_broadcast(const stk_kernel_call *call, stk_error *err)
{
    const stk_shape     *full = &call->instance.out[0].shape;
    stk_cuda_tensor_iter iter = iter_over(full);
    stk_broadcast_strides(&call->instance.in[0].shape, full, iter.stride[0]);
    stk_cuda_tensor_iter_strides(full, iter.stride[1]);
    return move(call, iter, call->in[0], call->out[0], err);
}

static stk_status run_transpose(const stk_kernel_call *call, stk_error *err)
{
    const stk_transpose_attrs *attrs = call->instance.attrs;
    const stk_shape           *y = &call->instance.out[0].shape;
    stk_cuda_tensor_iter       iter = iter_over(y);
    int64_t                    step[STK_CUDA_ITER_RANK];
    stk_cuda_tensor_iter_strides(&call->instance.in[0].shape, step);
    stk_cuda_tensor_iter_strides(y, iter.stride[1]);
    for (int d = 0; d < y->rank; d++)
        iter.stride[0][d] = step[attrs->order[d]];
    return move(call, iter, call->in[0], call->out[0], err);
}

static stk_status run_slice(const stk_kernel_call *call, stk_error *err)
{
    const stk_slice_attrs *attrs = call->instance.attrs;
    stk_cuda_tensor_iter   iter = iter_over(&call->instance.out[0].shape);
    stk_cuda_tensor_iter_strides(&call->instance.in[0].shape, iter.stride[0]);
    stk_cuda_tensor_iter_strides(&call->instance.out[0].shape, iter.stride[1]);
    size_t at = begin_of(&call->instance, attrs->start, iter.stride[0]);
    return move(call, iter, (const char *)call->in[0] + at, call->out[0], err);
}

/* Copies input `part` into the result, from start on. */
static stk_status put(const stk_kernel_call *call, int part, const int64_t *start, stk_error *err)
{
    stk_cuda_tensor_iter iter = iter_over(&call->instance.in[part].shape);
    stk_cuda_tensor_iter_strides(&call->instance.in[part].shape, iter.stride[0]);
    stk_cuda_tensor_iter_strides(&call->instance.out[0].shape, iter.stride[1]);
    size_t at = begin_of(&call->instance, start, iter.stride[1]);
    return move(call, iter, call->in[part], (char *)call->out[0] + at, err);
}

static stk_status run_concat(const stk_kernel_call *call, stk_error *err)
{
    int     axis = ((const stk_concat_attrs *)call->instance.attrs)->axis;
    int64_t start[STK_MAX_RANK] = {0};
    for (int i = 0; i < call->instance.input_count; i++) {
        STK_TRY(put(call, i, start, err));
        start[axis] += call->instance.in[i].shape.dim[axis];
    }
    return STK_OK;
}

static stk_cuda_pattern pattern_of(stk_dtype dtype, double value)
{
    stk_cuda_pattern pattern;
    const float      real = (float)value;
    const int64_t full = dtype == STK_DTYPE_I64 || dtype == STK_DTYPE_I32 || dtype == STK_DTYPE_U8
                             ? (int64_t)value
                             : 0;
    uint8_t       element[8];
    size_t        width = stk_dtype_bytes(dtype);
    memcpy(element, &full, sizeof full); /* little-endian: the low bytes come first */
    if (dtype == STK_DTYPE_F32) memcpy(element, &real, sizeof real);
    if (dtype == STK_DTYPE_F16 || dtype == STK_DTYPE_BF16)
        stk_halves_from_float(dtype, &real, (uint16_t *)(void *)element, 1);
    for (size_t at = 0; at < sizeof pattern; at += width)
        memcpy((uint8_t *)&pattern + at, element, width);
    return pattern;
}

static stk_status fill(const stk_kernel_call *call, double value, stk_error *err)
{
    const stk_tensor_type *type = &call->instance.out[0];
    return stk_cuda_launched(call,
                             stk_cuda_fill_launch(call->out[0], (int64_t)stk_type_bytes(type),
                                                  pattern_of(type->dtype, value),
                                                  stk_cuda_of(call->device)->stream),
                             err);
}

static stk_status run_fill(const stk_kernel_call *call, stk_error *err)
{
    return fill(call, ((const stk_fill_attrs *)call->instance.attrs)->value, err);
}

static stk_status run_pad(const stk_kernel_call *call, stk_error *err)
{
    const stk_pad_attrs *attrs = call->instance.attrs;
    STK_TRY(fill(call, attrs->value, err));
    return put(call, 0, attrs->before, err);
}

#define ROW(id)                                                                                    \
    const stk_kernel stk_cuda_##id = {.op = &stk_graph_op_##id, .name = "native", .run = run_##id}

ROW(reshape);
ROW(broadcast);
ROW(transpose);
ROW(slice);
ROW(concat);
ROW(pad);
ROW(fill);
