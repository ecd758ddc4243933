/* conv2d with mean and variance of its result: a fused kernel if there is one, else the plain
 * convolution and a pass over its result. */
#include "compute/cuda/channel_rows.h"
#include "compute/cuda/cuda.h"
#include "compute/cuda/cuda_kernels.h"
#include "compute/cuda/gemm.h"
#include "compute/cuda_kernels/bn_stats.h"
#include "compute/ops/conv2d.h"
#include "compute/ops/graph_ops.h"
#include <stdlib.h>

enum { ALIGNMENT = 256 };

typedef struct state {
    const stk_kernel *plain_kernel; /* of the convolution; NULL: a fused GEMM does all */
    void             *plain_state;  /* state of plain_kernel */
    size_t            partials;     /* offset in scratch of the statistics' partials */
} state;

static stk_op_instance without_statistics(const stk_op_instance *instance)
{
    stk_op_instance plain = *instance;
    plain.output_count = 1;
    return plain;
}

static const stk_kernel *find_plain_kernel(const stk_device      *device,
                                           const stk_op_instance *instance)
{
    stk_op_instance plain = without_statistics(instance);
    return device->backend->kernel(device, &stk_graph_op_conv2d, &plain);
}

static bool can(const stk_device *device, const stk_op_instance *instance)
{
    return instance->output_count == STK_CONV2D_OUTPUTS &&
           stk_cuda_rows_can_sum(&instance->out[STK_CONV2D_Y]) &&
           find_plain_kernel(device, instance);
}

static stk_status formats(stk_device *device, const stk_op_instance *instance,
                          const stk_format *have, stk_format *in, stk_format *out, stk_error *err)
{
    stk_op_instance plain = without_statistics(instance);
    out[STK_CONV2D_MEAN] = out[STK_CONV2D_VAR] = STK_FORMAT_PLAIN;
    return find_plain_kernel(device, instance)->formats(device, &plain, have, in, out, err);
}

/* The call as plain_kernel sees it. */
static stk_kernel_call plain_call(const stk_kernel_call *call)
{
    const state    *s = call->state;
    stk_kernel_call plain = *call;
    plain.instance = without_statistics(&call->instance);
    plain.state = s->plain_state;
    return plain;
}

static stk_cuda_rows rows_of(const stk_kernel_call *call)
{
    return stk_cuda_rows_to_sum(call->device, &call->instance.out[STK_CONV2D_Y],
                                call->out_format[STK_CONV2D_Y]);
}

static stk_status prepare_plain(stk_kernel_call *call, size_t *scratch, stk_error *err)
{
    state          *s = call->state;
    stk_kernel_call plain = plain_call(call);
    stk_cuda_rows   rows = rows_of(call);
    s->plain_kernel = find_plain_kernel(call->device, &call->instance);
    if (s->plain_kernel->prepare) STK_TRY(s->plain_kernel->prepare(&plain, scratch, err));
    s->plain_state = plain.state;
    s->partials = (*scratch + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    *scratch = s->partials + stk_cuda_rows_bytes(&rows, STK_CUDA_BN_STATS_VALUES);
    return STK_OK;
}

static stk_status prepare(stk_kernel_call *call, size_t *scratch, stk_error *err)
{
    *scratch = 0;
    call->state = calloc(1, sizeof(state));
    if (!call->state)
        return stk_fail(err, STK_E_NOMEM, call->op->name, call->instance.name, "no memory");
    if (stk_cuda_gemm_stats_can(call, scratch)) return STK_OK;
    stk_status st = prepare_plain(call, scratch, err);
    if (!st) return STK_OK;
    free(call->state);
    call->state = NULL;
    return st;
}

static stk_status run(const stk_kernel_call *call, stk_error *err)
{
    const state *s = call->state;
    stk_cuda    *cuda = stk_cuda_of(call->device);
    if (!s->plain_kernel) return stk_cuda_gemm_stats_run(call, err);
    stk_kernel_call plain = plain_call(call);
    STK_TRY(s->plain_kernel->run(&plain, err));
    stk_cuda_bn_stats_args args = {.rows = rows_of(call),
                                   .dtype = (int)call->instance.out[STK_CONV2D_Y].dtype,
                                   .x = call->out[STK_CONV2D_Y],
                                   .partials = (float *)((char *)call->scratch + s->partials),
                                   .counters = cuda->counters,
                                   .mean = call->out[STK_CONV2D_MEAN],
                                   .var = call->out[STK_CONV2D_VAR]};
    return stk_cuda_launched(call, stk_cuda_bn_stats_launch(&args, cuda->stream), err);
}

static void release(stk_kernel_call *call)
{
    state          *s = call->state;
    stk_kernel_call plain = plain_call(call);
    if (s->plain_kernel && s->plain_kernel->release) s->plain_kernel->release(&plain);
    free(s);
    call->state = NULL;
}

static const char *detail(const stk_kernel_call *call)
{
    const state    *s = call->state;
    stk_kernel_call plain = plain_call(call);
    if (!s->plain_kernel) return "gemm with statistics";
    return s->plain_kernel->detail ? s->plain_kernel->detail(&plain) : s->plain_kernel->name;
}

const stk_kernel stk_cuda_conv_stats = {
    .op = &stk_graph_op_conv2d,
    .name = "with statistics",
    .can = can,
    .formats = formats,
    .requires_formats = true,
    .prepare = prepare,
    .run = run,
    .release = release,
    .detail = detail,
};
