/* edit_images(images, edits) and mix_images(images, edits) */
#include "compute/cuda_kernels/edit_images.h"
#include "compute/cuda/cuda.h"
#include "compute/cuda/cuda_kernels.h"
#include "compute/ops/edit_op_inputs.h"
#include "compute/ops/graph_ops.h"

static stk_cuda_edit_args args_of(const stk_kernel_call *call)
{
    const int64_t *from = call->instance.in[0].shape.dim, *to = call->instance.out[0].shape.dim;
    return (stk_cuda_edit_args){.rows = from[0],
                                .source_height = (int32_t)from[1],
                                .source_width = (int32_t)from[2],
                                .batch = to[0],
                                .height = (int32_t)to[1],
                                .width = (int32_t)to[2],
                                .channels = (int32_t)to[3]};
}

static stk_status prepare_edit(stk_kernel_call *call, size_t *scratch, stk_error *err)
{
    const stk_cuda_edit_args args = args_of(call);
    (void)err;
    *scratch = stk_cuda_edit_scratch(&args);
    return STK_OK;
}

static stk_status run_edit(const stk_kernel_call *call, stk_error *err)
{
    stk_cuda_edit_args args = args_of(call);
    cudaStream_t       stream = stk_cuda_of(call->device)->stream;
    args.images = call->in[0];
    args.edits = call->in[1];
    args.out = call->out[0];
    args.scratch = call->scratch;
    return stk_cuda_launched(call, stk_cuda_edit_launch(&args, stream), err);
}

static stk_status run_mix(const stk_kernel_call *call, stk_error *err)
{
    const int64_t    *dim = call->instance.in[0].shape.dim;
    stk_cuda_mix_args args = {.batch = dim[0],
                              .height = (int32_t)dim[1],
                              .width = (int32_t)dim[2],
                              .channels = (int32_t)dim[3],
                              .images = call->in[0],
                              .edits = call->in[1],
                              .out = call->out[0]};
    return stk_cuda_launched(call, stk_cuda_mix_launch(&args, stk_cuda_of(call->device)->stream),
                             err);
}

const stk_kernel stk_cuda_edit_images = {
    .op = &stk_graph_op_edit_images, .name = "native", .prepare = prepare_edit, .run = run_edit};
const stk_kernel stk_cuda_mix_images = {
    .op = &stk_graph_op_mix_images, .name = "native", .run = run_mix};
