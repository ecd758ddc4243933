/* reduce_sum and reduce_mean. Adjacent dimensions that are all kept or all reduced are merged,
 * mostly to [kept, reduced, kept]. */
#include "compute/cuda_kernels/reduce.h"
#include "compute/cuda/cuda_kernels.h"
#include "compute/cuda/tensor_iter.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/reduce.h"

/* False if kept and reduced dimensions alternate more often. */
static bool three_dims(const stk_op_instance *instance, stk_cuda_reduce_args *args)
{
    const stk_reduce_attrs *attrs = instance->attrs;
    const stk_shape        *shape = &instance->in[0].shape;
    int64_t                 dim[3] = {1, 1, 1};
    int                     at = 0;
    for (int d = 0; d < shape->rank; d++) {
        bool reduced = attrs->axes >> d & 1;
        if (shape->dim[d] == 1) continue;
        if (reduced != (at == 1)) at++;
        if (at > 2) return false;
        dim[at] *= shape->dim[d];
    }
    args->outer = dim[0], args->reduced = dim[1], args->inner = dim[2];
    return true;
}

static void mix(const stk_op_instance *instance, stk_cuda_reduce_args *args)
{
    const stk_reduce_attrs *attrs = instance->attrs;
    const stk_shape        *shape = &instance->in[0].shape;
    int64_t                 step[STK_CUDA_ITER_RANK];
    stk_cuda_tensor_iter_strides(shape, step);
    args->mixed = true;
    args->kept_dims = args->reduced_dims = (stk_cuda_tensor_iter){.tensors = 1};
    for (int d = 0; d < shape->rank; d++) {
        stk_cuda_tensor_iter *iter = attrs->axes >> d & 1 ? &args->reduced_dims : &args->kept_dims;
        iter->size[iter->rank] = shape->dim[d];
        iter->stride[0][iter->rank++] = step[d];
    }
    stk_cuda_tensor_iter_join(&args->kept_dims);
    stk_cuda_tensor_iter_join(&args->reduced_dims);
    args->outer = stk_cuda_tensor_iter_count(&args->kept_dims);
    args->reduced = stk_cuda_tensor_iter_count(&args->reduced_dims);
    args->inner = 1;
}

static stk_cuda_reduce_args args_of(const stk_kernel_call *call)
{
    stk_cuda_reduce_args args = {.dtype = (int)call->instance.in[0].dtype, .multiply = 1};
    if (!three_dims(&call->instance, &args)) mix(&call->instance, &args);
    args.splits = stk_type_elements(&call->instance.in[0]) ? stk_cuda_reduce_splits(&args) : 1;
    return args;
}

static stk_status prepare(stk_kernel_call *call, size_t *scratch, stk_error *err)
{
    stk_cuda_reduce_args args = args_of(call);
    (void)err;
    if (args.splits > 1)
        *scratch = (size_t)args.splits * (size_t)(args.outer * args.inner) * sizeof(float);
    return STK_OK;
}

static stk_status start(const stk_kernel_call *call, bool mean, stk_error *err)
{
    stk_cuda_reduce_args args = args_of(call);
    cudaStream_t         stream = stk_cuda_of(call->device)->stream;
    if (stk_type_elements(&call->instance.out[0]) == 0) return STK_OK;
    args.x = call->in[0];
    args.out = call->out[0];
    args.partial = call->scratch;
    if (args.reduced == 0) {
        size_t bytes = stk_type_bytes(&call->instance.out[0]);
        return stk_cuda_launched(call, cudaMemsetAsync(args.out, 0, bytes, stream), err);
    }
    if (mean) args.multiply = (float)(1 / (double)args.reduced);
    return stk_cuda_launched(call, stk_cuda_reduce_launch(&args, stream), err);
}

static stk_status run_sum(const stk_kernel_call *call, stk_error *err)
{
    return start(call, false, err);
}

static stk_status run_mean(const stk_kernel_call *call, stk_error *err)
{
    return start(call, true, err);
}

const stk_kernel stk_cuda_reduce_sum = {
    .op = &stk_graph_op_reduce_sum, .name = "native", .prepare = prepare, .run = run_sum};
const stk_kernel stk_cuda_reduce_mean = {
    .op = &stk_graph_op_reduce_mean, .name = "native", .prepare = prepare, .run = run_mean};
