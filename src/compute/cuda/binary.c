/* add, sub, mul, bias */
#include "compute/cuda_kernels/binary.h"
#include "compute/cuda/cuda_kernels.h"
#include "compute/cuda/tensor_iter.h"
#include "compute/ops/broadcast_index.h"
#include "compute/ops/graph_ops.h"

enum { WIDEST = 16 }; /* bytes of an access */

static bool shapes_equal(const stk_op_instance *instance)
{
    return stk_shape_equal(&instance->in[0].shape, &instance->out[0].shape) &&
           stk_shape_equal(&instance->in[1].shape, &instance->out[0].shape);
}

static void set_iter(const stk_op_instance *instance, stk_cuda_binary_args *args)
{
    const stk_shape      *full = &instance->out[0].shape;
    stk_cuda_tensor_iter *iter = &args->iter;
    iter->rank = full->rank;
    iter->tensors = 3;
    for (int d = 0; d < full->rank; d++)
        iter->size[d] = full->dim[d];
    for (int i = 0; i < 2; i++)
        stk_broadcast_strides(&instance->in[i].shape, full, iter->stride[i]);
    stk_cuda_tensor_iter_strides(full, iter->stride[2]);
    stk_cuda_tensor_iter_join(iter);
    args->pieces =
        stk_cuda_tensor_iter_split(iter, WIDEST / (int64_t)stk_dtype_bytes(instance->out[0].dtype));
}

static stk_status start(const stk_kernel_call *call, bool multiply, float sign, stk_error *err)
{
    const stk_op_instance *instance = &call->instance;
    stk_cuda_binary_args   args = {.multiply = multiply,
                                   .sign = sign,
                                   .dtype = (int)instance->in[0].dtype,
                                   .b_dtype = (int)instance->in[1].dtype,
                                   .a = call->in[0],
                                   .b = call->in[1],
                                   .out = call->out[0]};
    if (stk_type_elements(&instance->out[0]) == 0) return STK_OK;
    if (shapes_equal(instance))
        args.count = stk_cuda_layout_of(&instance->out[0], call->out_format[0]).elements;
    set_iter(instance, &args);
    return stk_cuda_launched(call, stk_cuda_binary_launch(&args, stk_cuda_of(call->device)->stream),
                             err);
}

static stk_status run_add(const stk_kernel_call *call, stk_error *err)
{
    return start(call, false, 1, err);
}

static stk_status run_sub(const stk_kernel_call *call, stk_error *err)
{
    return start(call, false, -1, err);
}

static stk_status run_mul(const stk_kernel_call *call, stk_error *err)
{
    return start(call, true, 1, err);
}

static stk_status formats(stk_device *device, const stk_op_instance *instance,
                          const stk_format *have, stk_format *in, stk_format *out, stk_error *err)
{
    if (shapes_equal(instance)) return stk_cuda_formats_same(device, instance, have, in, out, err);
    in[0] = in[1] = out[0] = STK_FORMAT_PLAIN;
    return STK_OK;
}

#define ROW(id, run_, formats_)                                                                    \
    const stk_kernel stk_cuda_##id = {                                                             \
        .op = &stk_graph_op_##id, .name = "native", .formats = formats_, .run = run_}

ROW(add, run_add, formats);
ROW(sub, run_sub, formats);
ROW(mul, run_mul, formats);
ROW(bias, run_add, NULL); /* padding must stay zero */
