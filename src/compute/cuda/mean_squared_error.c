/* mean_squared_error(p, t) and mean_squared_error_grad(p, t, dloss) */
#include "compute/cuda/cuda.h"
#include "compute/cuda/cuda_kernels.h"
#include "compute/cuda_kernels/squared_error.h"
#include "compute/ops/graph_ops.h"

enum { PREDICTION, TARGET, DLOSS };

static stk_cuda_squared_args args_of(const stk_kernel_call *call)
{
    const stk_tensor_type *type = &call->instance.in[PREDICTION];
    return (stk_cuda_squared_args){(int)type->dtype, stk_type_elements(type), call->in[PREDICTION],
                                   call->in[TARGET]};
}

static stk_status prepare(stk_kernel_call *call, size_t *scratch, stk_error *err)
{
    (void)call, (void)err;
    *scratch = STK_CUDA_SQUARED_PARTIALS * sizeof(float);
    return STK_OK;
}

static stk_status run_value(const stk_kernel_call *call, stk_error *err)
{
    stk_cuda_squared_args args = args_of(call);
    cudaError_t           code = stk_cuda_squared_error_launch(&args, call->scratch, call->out[0],
                                                               stk_cuda_of(call->device)->stream);
    return stk_cuda_launched(call, code, err);
}

static stk_status run_grad(const stk_kernel_call *call, stk_error *err)
{
    stk_cuda_squared_args args = args_of(call);
    cudaError_t code = stk_cuda_squared_error_grad_launch(&args, call->in[DLOSS], call->out[0],
                                                          stk_cuda_of(call->device)->stream);
    return stk_cuda_launched(call, code, err);
}

static bool can_grad(const stk_device *device, const stk_op_instance *instance)
{
    (void)device;
    return instance->in[DLOSS].dtype == STK_DTYPE_F32;
}

const stk_kernel stk_cuda_mean_squared_error = {
    .op = &stk_graph_op_mean_squared_error, .name = "native", .prepare = prepare, .run = run_value};
const stk_kernel stk_cuda_mean_squared_error_grad = {.op = &stk_graph_op_mean_squared_error_grad,
                                                     .name = "native",
                                                     .can = can_grad,
                                                     .run = run_grad};
