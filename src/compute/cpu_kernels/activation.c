/* activation(x) and activation_grad(dy, seen): elementwise in any format. */
#include "compute/cpu_kernels/act.h"
#include "compute/cpu_kernels/channel_tiling.h"
#include "compute/cpu_kernels/cpu_kernels.h"
#include "compute/ops/graph_ops.h"

typedef struct job {
    const stk_kernel_call *call;
    int64_t                count;
} job;

static bool can(const stk_device *device, const stk_op_instance *instance)
{
    return stk_cpu_float32(device, instance) && stk_act_kind_of(instance->attrs) != STK_ACT_KINDS;
}

static stk_status formats(stk_device *device, const stk_op_instance *instance,
                          const stk_format *have, stk_format *in, stk_format *out, stk_error *err)
{
    return stk_act_keeps_zero(instance->attrs)
               ? stk_formats_any(device, instance, have, in, out, err)
               : stk_formats_images(device, instance, have, in, out, err);
}

static void value_part(void *context, int part, int parts)
{
    const job             *j = context;
    const stk_kernel_call *call = j->call;
    int64_t                begin, end;
    stk_team_share(j->count, STK_TILE_DEFAULT, part, parts, &begin, &end);
    stk_act_value(stk_cpu_of(call->device), call->instance.attrs,
                  (const float *)call->in[0] + begin, (float *)call->out[0] + begin, end - begin);
}

static stk_status run_value(const stk_kernel_call *call, stk_error *err)
{
    const stk_cpu *cpu = stk_cpu_of(call->device);
    job            j = {call, stk_call_floats(call, &call->instance.out[0], call->out_format[0])};
    (void)err;
    stk_work(cpu, j.count * 8, value_part, &j);
    if (!stk_act_keeps_zero(call->instance.attrs)) {
        stk_channel_tiling tiling =
            stk_channel_tiling_of(&call->instance.out[0], call->out_format[0]);
        stk_channel_tiling_clear_padding(cpu, &tiling, call->out[0]);
    }
    return STK_OK;
}

static void slope_part(void *context, int part, int parts)
{
    const job             *j = context;
    const stk_kernel_call *call = j->call;
    int64_t                begin, end;
    stk_team_share(j->count, STK_TILE_DEFAULT, part, parts, &begin, &end);
    stk_act_slope(stk_cpu_of(call->device), call->instance.attrs,
                  (const float *)call->in[0] + begin, (const float *)call->in[1] + begin,
                  (float *)call->out[0] + begin, end - begin);
}

/* Padding stays zero, since dy is zero there. */
static stk_status run_slope(const stk_kernel_call *call, stk_error *err)
{
    job j = {call, stk_call_floats(call, &call->instance.out[0], call->out_format[0])};
    (void)err;
    stk_work(stk_cpu_of(call->device), j.count * 12, slope_part, &j);
    return STK_OK;
}

#define KERNELS(id)                                                                                \
    const stk_kernel stk_cpu_##id = {.op = &stk_graph_op_##id,                                     \
                                     .name = "native",                                             \
                                     .can = can,                                                   \
                                     .formats = formats,                                           \
                                     .run = run_value};                                            \
    const stk_kernel stk_cpu_##id##_grad = {.op = &stk_graph_op_##id##_grad,                       \
                                            .name = "native",                                      \
                                            .can = can,                                            \
                                            .formats = stk_formats_any,                            \
                                            .run = run_slope}

KERNELS(relu);
KERNELS(clip);
KERNELS(leaky_relu);
KERNELS(gelu);
KERNELS(silu);
KERNELS(sigmoid);
KERNELS(tanh);
KERNELS(hardswish);
KERNELS(hardsigmoid);
