/* grad_guard and loss_scale */
#include "compute/cuda_kernels/guard.h"
#include "compute/cuda/cuda.h"
#include "compute/cuda/cuda_kernels.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/update_ops.h"

#define SAME_INDEX(name)                                                                           \
    _Static_assert((int)STK_CUDA_##name == (int)STK_##name, "kernels read the same vectors")

SAME_INDEX(HYPER_RATE);
SAME_INDEX(HYPER_MOMENTUM);
SAME_INDEX(GUARD_MULTIPLY);
SAME_INDEX(GUARD_SKIP);
SAME_INDEX(GUARD_STEPS);
SAME_INDEX(GUARD_NORM);
SAME_INDEX(STATE_SCALE);
SAME_INDEX(STATE_CLEAN);
SAME_INDEX(STATE_STEPS);
SAME_INDEX(STATE_SKIPPED);

static stk_status run_guard(const stk_kernel_call *call, stk_error *err)
{
    const stk_guard_attrs *attrs = call->instance.attrs;
    stk_cuda_guard_args    args = {.multiply = attrs->multiply,
                                   .max_norm = attrs->max_norm,
                                   .growth = attrs->growth,
                                   .backoff = attrs->backoff,
                                   .interval = attrs->interval,
                                   .state = call->in[0],
                                   .norm = call->instance.input_count > 1 ? call->in[1] : NULL,
                                   .guard = call->out[0],
                                   .next = call->instance.output_count > 1 ? call->out[1] : NULL};
    return stk_cuda_launched(call, stk_cuda_guard_launch(&args, stk_cuda_of(call->device)->stream),
                             err);
}

static stk_status run_scale(const stk_kernel_call *call, stk_error *err)
{
    cudaStream_t stream = stk_cuda_of(call->device)->stream;
    return stk_cuda_launched(call, stk_cuda_loss_scale_launch(call->in[0], call->out[0], stream),
                             err);
}

const stk_kernel stk_cuda_grad_guard = {
    .op = &stk_graph_op_grad_guard,
    .name = "native",
    .run = run_guard,
};

const stk_kernel stk_cuda_loss_scale = {
    .op = &stk_graph_op_loss_scale,
    .name = "native",
    .run = run_scale,
};
