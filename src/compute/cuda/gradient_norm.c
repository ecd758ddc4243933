/* gradient_norm: each tensor in its own format, since padding is zero. */
#include "compute/cuda_kernels/gradient_norm.h"
#include "compute/cuda/cuda.h"
#include "compute/cuda/cuda_kernels.h"
#include "compute/ops/graph_ops.h"

static int64_t count_of(const stk_kernel_call *call, int i)
{
    return stk_cuda_layout_of(&call->instance.in[i], call->in_format[i]).elements;
}

static stk_status formats(stk_device *device, const stk_op_instance *instance,
                          const stk_format *have, stk_format *in, stk_format *out, stk_error *err)
{
    (void)device, (void)err;
    for (int i = 0; i < instance->input_count; i++)
        in[i] = have[i] == (stk_format)STK_FORMAT_ANY ? STK_FORMAT_PLAIN : have[i];
    out[0] = STK_FORMAT_PLAIN;
    return STK_OK;
}

static stk_status prepare(stk_kernel_call *call, size_t *scratch, stk_error *err)
{
    int64_t chunks = 0;
    (void)err;
    for (int i = 0; i < call->instance.input_count; i++)
        chunks += stk_cuda_norm_chunks(count_of(call, i));
    *scratch = (size_t)chunks * 2 * sizeof(double);
    return STK_OK;
}

static stk_status run(const stk_kernel_call *call, stk_error *err)
{
    cudaStream_t stream = stk_cuda_of(call->device)->stream;
    double      *sums = call->scratch;
    int64_t      chunks = 0;
    int          inputs = call->instance.input_count;
    for (int i = 0; i < inputs;) {
        stk_cuda_norm_table table = {.sums = sums + 2 * chunks};
        for (; i < inputs && table.tensors < STK_CUDA_NORM_TENSORS; i++) {
            table.data[table.tensors] = call->in[i];
            table.dtype[table.tensors] = (int)call->instance.in[i].dtype;
            table.count[table.tensors++] = count_of(call, i);
            chunks += stk_cuda_norm_chunks(count_of(call, i));
        }
        STK_TRY(stk_cuda_launched(call, stk_cuda_norm_launch(&table, stream), err));
    }
    return stk_cuda_launched(call, stk_cuda_norm_total_launch(sums, chunks, call->out[0], stream),
                             err);
}

const stk_kernel stk_cuda_gradient_norm = {
    .op = &stk_graph_op_gradient_norm,
    .name = "native",
    .formats = formats,
    .prepare = prepare,
    .run = run,
};
