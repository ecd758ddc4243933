/* Batch norm of few rows: pairs of ops share a launch, bn_stats_finalize with bn_apply and
 * bn_grad_sums with bn_grad_apply. The first call of a pair is deferred until the second arrives or
 * anything else is launched. Separate launches yield the same bits. */
#include "compute/cuda/act.h"
#include "compute/cuda/bn.h"
#include "compute/cuda/channel_rows.h"
#include "compute/cuda/cuda_kernels.h"
#include "compute/cuda/multi_tensor.h"
#include "compute/ops/batch_norm.h"
#include "compute/ops/graph_ops.h"
#include <string.h>

static bool is_cheap(const stk_activation *of)
{
    stk_cuda_activation act;
    return stk_cuda_act_of(of, &act) &&
           (act.act == STK_CUDA_ACT_NONE || act.act == STK_CUDA_ACT_RELU ||
            act.act == STK_CUDA_ACT_CLIP || act.act == STK_CUDA_ACT_LEAKY_RELU);
}

static bool is_small(const stk_op_instance *instance)
{
    return stk_cuda_rows_fit_cluster(&instance->in[0], stk_cuda_bn_small_blocks());
}

static stk_cuda_rows rows_of(const stk_kernel_call *call)
{
    return stk_cuda_rows_per_block(&call->instance.in[0], stk_cuda_bn_small_blocks());
}

static bool can_stats(const stk_device *device, const stk_op_instance *instance)
{
    (void)device;
    return is_small(instance);
}

static bool can_apply(const stk_device *device, const stk_op_instance *instance)
{
    const stk_bn_apply_attrs *attrs = instance->attrs;
    (void)device;
    return is_small(instance) && is_cheap(&attrs->act);
}

static bool can_grad(const stk_device *device, const stk_op_instance *instance)
{
    const stk_bn_grad_attrs *attrs = instance->attrs;
    (void)device;
    return is_small(instance) && is_cheap(&attrs->act);
}

static stk_status launch_stats(const stk_kernel_call *call, const stk_cuda_bn_apply_args *apply,
                               stk_error *err)
{
    stk_cuda_bn_small_args args = {.stats = stk_cuda_bn_stats_of(call)};
    if (apply) args.apply = *apply;
    args.stats.rows = rows_of(call);
    args.each = 1 / (double)args.stats.rows.rows;
    return stk_cuda_launched(
        call, stk_cuda_bn_small_launch(&args, stk_cuda_of(call->device)->stream), err);
}

static stk_status launch_grad(const stk_kernel_call *call, stk_cuda_bn_grad_args *args,
                              stk_error *err)
{
    args->rows = rows_of(call);
    return stk_cuda_launched(
        call, stk_cuda_bn_grad_small_launch(args, stk_cuda_of(call->device)->stream), err);
}

static stk_status launch_stats_alone(const stk_kernel_call *call, stk_error *err)
{
    return launch_stats(call, NULL, err);
}

static stk_status launch_sums_alone(const stk_kernel_call *call, stk_error *err)
{
    stk_cuda_bn_grad_args args = stk_cuda_bn_sums_of(call);
    return launch_grad(call, &args, err);
}

static stk_status run_stats(const stk_kernel_call *call, stk_error *err)
{
    return stk_cuda_defer(call, launch_stats_alone, err);
}

static stk_status run_sums(const stk_kernel_call *call, stk_error *err)
{
    return stk_cuda_defer(call, launch_sums_alone, err);
}

static stk_cuda_span span_of_in(const stk_kernel_call *call, int i)
{
    return (stk_cuda_span){
        (void *)call->in[i],
        stk_cuda_format_bytes(call->device, &call->instance.in[i], call->in_format[i])};
}

static stk_cuda_span span_of_out(const stk_kernel_call *call, int o)
{
    return (stk_cuda_span){call->out[o], stk_cuda_format_bytes(call->device, &call->instance.out[o],
                                                               call->out_format[o])};
}

/* Whether the second call writes bytes that the statistics use. Buffer assignment considers the
 * statistics finished and may let y reuse their buffers; in one launch some blocks would write y
 * before others have read. y over x is safe: a thread writes only rows that it has read. */
static bool spoils(const stk_kernel_call *stats, const stk_kernel_call *apply)
{
    enum { X };
    for (int k = 0; k < apply->instance.output_count; k++) {
        const stk_cuda_span made = span_of_out(apply, k);
        for (int i = 0; i < stats->instance.input_count; i++) {
            const stk_cuda_span read = span_of_in(stats, i);
            const bool          in_place = i == X && made.at == read.at && made.bytes == read.bytes;
            if (!in_place && stk_cuda_overlap(&made, &read)) return true;
        }
        for (int o = 0; o < stats->instance.output_count; o++) {
            const stk_cuda_span found = span_of_out(stats, o);
            if (stk_cuda_overlap(&made, &found)) return true;
        }
    }
    return false;
}

/* Whether the statistics are those that apply uses, and both fit one launch. */
static bool can_group(const stk_kernel_call *stats, const stk_kernel_call *apply)
{
    enum { X, SCALE, SHIFT, FOUND_SCALE = 1, FOUND_SHIFT };
    return stats->in[X] == apply->in[X] && stats->out[FOUND_SCALE] == apply->in[SCALE] &&
           stats->out[FOUND_SHIFT] == apply->in[SHIFT] && !spoils(stats, apply);
}

static stk_status run_apply(const stk_kernel_call *call, stk_error *err)
{
    const stk_kernel_call *stats = stk_cuda_deferred(call->device, launch_stats_alone);
    if (!stats || !can_group(stats, call)) {
        STK_TRY(stk_cuda_flush(call->device, err));
        return stk_cuda_bn_apply.run(call, err);
    }
    stk_cuda_bn_apply_args args = stk_cuda_bn_apply_of(call);
    stk_cuda_of(call->device)->deferred_call = NULL;
    return launch_stats(stats, &args, err);
}

/* Whether both mask the same dz and grad uses these sums. All buffers of sums are also inputs of
 * grad, so buffer assignment reuses none of them but dy, elementwise. */
static bool belong(const stk_kernel_call *sums, const stk_kernel_call *grad)
{
    enum { DY, X, MEAN, INVSTD, SUMS_MASK, DGAMMA = 5, DBETA, GRAD_MASK };
    bool same = sums->out[0] == grad->in[DGAMMA] && sums->out[1] == grad->in[DBETA] &&
                sums->instance.input_count - SUMS_MASK == grad->instance.input_count - GRAD_MASK &&
                memcmp(sums->instance.attrs, grad->instance.attrs, sizeof(stk_bn_grad_attrs)) == 0;
    for (int i = DY; i <= INVSTD && same; i++)
        same = sums->in[i] == grad->in[i];
    for (int i = SUMS_MASK; i < sums->instance.input_count && same; i++)
        same = sums->in[i] == grad->in[i - SUMS_MASK + GRAD_MASK];
    return same;
}

static stk_status run_grad(const stk_kernel_call *call, stk_error *err)
{
    const stk_kernel_call *sums = stk_cuda_deferred(call->device, launch_sums_alone);
    if (!sums || !belong(sums, call)) {
        STK_TRY(stk_cuda_flush(call->device, err));
        return stk_cuda_bn_grad_apply.run(call, err);
    }
    stk_cuda_bn_grad_args args = stk_cuda_bn_grad_of(call);
    stk_cuda_of(call->device)->deferred_call = NULL;
    return launch_grad(call, &args, err);
}

const stk_kernel stk_cuda_bn_stats_finalize_small = {.op = &stk_graph_op_bn_stats_finalize,
                                                     .name = "native",
                                                     .can = can_stats,
                                                     .formats = stk_cuda_formats_same,
                                                     .run = run_stats,
                                                     .deferred = true};
const stk_kernel stk_cuda_bn_apply_small = {.op = &stk_graph_op_bn_apply,
                                            .name = "native",
                                            .can = can_apply,
                                            .formats = stk_cuda_formats_same,
                                            .run = run_apply,
                                            .deferred = true};
const stk_kernel stk_cuda_bn_grad_sums_small = {.op = &stk_graph_op_bn_grad_sums,
                                                .name = "native",
                                                .can = can_grad,
                                                .formats = stk_cuda_formats_same,
                                                .run = run_sums,
                                                .deferred = true};
const stk_kernel stk_cuda_bn_grad_apply_small = {.op = &stk_graph_op_bn_grad_apply,
                                                 .name = "native",
                                                 .can = can_grad,
                                                 .formats = stk_cuda_formats_same,
                                                 .run = run_grad,
                                                 .deferred = true};
