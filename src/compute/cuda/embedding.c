/* embedding(table, ids) and embedding_grad(dy, ids) */
#include "compute/cuda_kernels/embedding.h"
#include "compute/cuda/cuda.h"
#include "compute/cuda/cuda_kernels.h"
#include "compute/ops/graph_ops.h"

static stk_cuda_embedding_args args_of(const stk_kernel_call *call, const stk_tensor_type *table)
{
    const stk_tensor_type *ids = &call->instance.in[1];
    return (stk_cuda_embedding_args){.dtype = (int)table->dtype,
                                     .id_dtype = (int)ids->dtype,
                                     .rows = table->shape.dim[0],
                                     .width = table->shape.dim[1],
                                     .count = stk_type_elements(ids),
                                     .ids = call->in[1]};
}

static stk_status run(const stk_kernel_call *call, stk_error *err)
{
    stk_cuda_embedding_args args = args_of(call, &call->instance.in[0]);
    cudaError_t             code = stk_cuda_embedding_launch(&args, call->in[0], call->out[0],
                                                             stk_cuda_of(call->device)->stream);
    return stk_cuda_launched(call, code, err);
}

static stk_status run_grad(const stk_kernel_call *call, stk_error *err)
{
    stk_cuda_embedding_args args = args_of(call, &call->instance.out[0]);
    cudaError_t             code = stk_cuda_embedding_grad_launch(&args, call->in[0], call->out[0],
                                                                  stk_cuda_of(call->device)->stream);
    return stk_cuda_launched(call, code, err);
}

const stk_kernel stk_cuda_embedding = {.op = &stk_graph_op_embedding, .name = "native", .run = run};
const stk_kernel stk_cuda_embedding_grad = {
    .op = &stk_graph_op_embedding_grad, .name = "native", .run = run_grad};
