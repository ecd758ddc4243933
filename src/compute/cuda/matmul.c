/* matmul by a native kernel, for GEMMs that cuBLAS does not support. */
#include "compute/cuda/matmul.h"
#include "compute/cuda/act.h"
#include "compute/cuda/cuda_kernels.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/matmul.h"

bool stk_cuda_matmul_can(const stk_op_instance *instance)
{
    const stk_matmul_attrs *attrs = instance->attrs;
    stk_cuda_activation     act;
    bool                    bias = instance->input_count > 2;
    return instance->in[0].dtype == instance->in[1].dtype && stk_cuda_act_of(&attrs->act, &act) &&
           (!bias || instance->in[2].dtype == instance->in[0].dtype ||
            instance->in[2].dtype == STK_DTYPE_F32);
}

stk_cuda_matmul_args stk_cuda_matmul_args_of(const stk_kernel_call *call)
{
    const stk_op_instance  *instance = &call->instance;
    const stk_matmul_attrs *attrs = instance->attrs;
    stk_matmul_shape        s = stk_matmul_shape_of(instance);
    bool                    bias = instance->input_count > 2;
    stk_cuda_matmul_args    args = {.dtype = (int)instance->in[0].dtype,
                                    .bias_dtype = (int)(bias ? instance->in[2].dtype : STK_DTYPE_NONE),
                                    .batch = s.batch,
                                    .m = s.m,
                                    .n = s.n,
                                    .k = s.k,
                                    .a_row = attrs->transpose_a ? 1 : s.k,
                                    .a_column = attrs->transpose_a ? s.m : 1,
                                    .b_row = attrs->transpose_b ? 1 : s.n,
                                    .b_column = attrs->transpose_b ? s.k : 1,
                                    .a = call->in[0],
                                    .b = call->in[1],
                                    .bias = bias ? call->in[2] : NULL,
                                    .out = call->out[0]};
    stk_cuda_act_of(&attrs->act, &args.act);
    return args;
}

static bool can(const stk_device *device, const stk_op_instance *instance)
{
    (void)device;
    return stk_cuda_matmul_can(instance);
}

static stk_status run(const stk_kernel_call *call, stk_error *err)
{
    stk_cuda_matmul_args args = stk_cuda_matmul_args_of(call);
    return stk_cuda_launched(call, stk_cuda_matmul_launch(&args, stk_cuda_of(call->device)->stream),
                             err);
}

const stk_kernel stk_cuda_matmul = {
    .op = &stk_graph_op_matmul, .name = "native", .can = can, .run = run};
