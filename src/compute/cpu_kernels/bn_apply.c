/* bn_apply: act(x * scale + shift + residual) in one pass. */
#include "compute/cpu_kernels/act.h"
#include "compute/cpu_kernels/channel_tiling.h"
#include "compute/cpu_kernels/cpu_kernels.h"
#include "compute/ops/batch_norm.h"
#include "compute/ops/graph_ops.h"

enum { X, SCALE, SHIFT, RESIDUAL, RESIDUAL_SCALE, RESIDUAL_SHIFT, INPUTS };

typedef struct apply_tile {
    const float *x, *scale, *shift, *r, *r_scale, *r_shift;
    float       *y, a, b;
    int64_t      count;
    bool         stream;
} apply_tile;

typedef void (*apply_loop)(const apply_tile *tile);

#define STK_LOOPS "compute/cpu_kernels/bn_apply_loops.h"
#include "compute/cpu_kernels/widths.h"

typedef struct job {
    const stk_cpu         *cpu;
    const stk_kernel_call *call;
    stk_channel_tiling     tiling;
    apply_loop             loop;
    stk_activation         act, after; /* in the loop; after it, on the cached tile */
    bool                   stream;
} job;

static void work(void *context, int part, int parts)
{
    const job             *j = context;
    const stk_kernel_call *call = j->call;
    float                  scratch[INPUTS][STK_TILE_CAPACITY];
    const float           *values[INPUTS] = {0};
    for (stk_tile_iter iter = stk_tile_iter_begin(&j->tiling, part, parts);
         stk_tile_iter_next(&iter);) {
        for (int i = 1; i < call->instance.input_count && iter.entered; i++)
            if (i != RESIDUAL)
                values[i] =
                    stk_channel_tiling_values(&j->tiling, iter.run, call->in[i], scratch[i]);
        apply_tile s = {.x = (const float *)call->in[X] + iter.offset,
                        .scale = values[SCALE],
                        .shift = values[SHIFT],
                        .r_scale = values[RESIDUAL_SCALE],
                        .r_shift = values[RESIDUAL_SHIFT],
                        .y = (float *)call->out[0] + iter.offset,
                        .a = j->act.a,
                        .b = j->act.b,
                        .count = iter.count};
        s.stream = j->stream && stk_can_stream(s.y);
        if (call->instance.input_count > RESIDUAL)
            s.r = (const float *)call->in[RESIDUAL] + iter.offset;
        j->loop(&s);
        if (j->after.row) stk_act_value(j->cpu, &j->after, s.y, s.y, s.count);
    }
    if (j->stream) stk_stream_end();
}

static stk_status run(const stk_kernel_call *call, stk_error *err)
{
    const stk_bn_apply_attrs *attrs = call->instance.attrs;
    const stk_cpu            *cpu = stk_cpu_of(call->device);
    stk_act_kind              kind = stk_act_kind_of(&attrs->act);
    bool                      cheap = kind <= STK_ACT_CLIP;
    int                       residual =
        call->instance.input_count > RESIDUAL_SHIFT ? 2 : call->instance.input_count > RESIDUAL;
    job j = {.cpu = cpu,
             .call = call,
             .tiling = stk_channel_tiling_of(&call->instance.in[0], call->in_format[0])};
    (void)err;
    if (cheap)
        j.act = attrs->act;
    else
        j.after = attrs->act;
    j.loop = STK_PICK(cpu, apply_loops)[residual][cheap ? kind : STK_ACT_NONE];
    int64_t bytes = stk_call_floats(call, &call->instance.in[0], call->in_format[0]) * 4;
    j.stream = cheap && stk_worth_streaming(call->in[X], call->out[0], bytes);
    stk_work(cpu, bytes * 2, work, &j);
    if (!stk_act_keeps_zero(&attrs->act))
        stk_channel_tiling_clear_padding(cpu, &j.tiling, call->out[0]);
    return STK_OK;
}

static bool can(const stk_device *device, const stk_op_instance *instance)
{
    const stk_bn_apply_attrs *attrs = instance->attrs;
    return stk_cpu_float32(device, instance) && stk_act_kind_of(&attrs->act) != STK_ACT_KINDS;
}

const stk_kernel stk_cpu_bn_apply = {.op = &stk_graph_op_bn_apply,
                                     .name = "native",
                                     .can = can,
                                     .formats = stk_formats_images,
                                     .run = run};
