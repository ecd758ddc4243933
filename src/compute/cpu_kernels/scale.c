/* scale: x * scale + shift */
#include "compute/cpu_kernels/channel_tiling.h"
#include "compute/cpu_kernels/cpu_kernels.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/shapes.h"

#define STK_LOOPS "compute/cpu_kernels/scale_loops.h"
#include "compute/cpu_kernels/widths.h"

typedef struct job {
    const float *x;
    float       *y, scale, shift;
    int64_t      count;
    void (*loop)(const float *x, float *y, int64_t count, float scale, float shift);
} job;

static void work(void *context, int part, int parts)
{
    const job *j = context;
    int64_t    begin, end;
    stk_team_share(j->count, STK_TILE_DEFAULT, part, parts, &begin, &end);
    j->loop(j->x + begin, j->y + begin, end - begin, j->scale, j->shift);
}

static stk_status run(const stk_kernel_call *call, stk_error *err)
{
    const stk_cpu         *cpu = stk_cpu_of(call->device);
    const stk_scale_attrs *attrs = call->instance.attrs;
    job                    j = {.x = call->in[0],
                                .y = call->out[0],
                                .scale = (float)attrs->scale,
                                .shift = (float)attrs->shift,
                                .count = stk_call_floats(call, &call->instance.out[0], call->out_format[0]),
                                .loop = STK_PICK(cpu, scale)};
    (void)err;
    stk_work(cpu, j.count * 8, work, &j);
    if (attrs->shift != 0) {
        stk_channel_tiling tiling =
            stk_channel_tiling_of(&call->instance.out[0], call->out_format[0]);
        stk_channel_tiling_clear_padding(cpu, &tiling, call->out[0]);
    }
    return STK_OK;
}

static stk_status formats(stk_device *device, const stk_op_instance *instance,
                          const stk_format *have, stk_format *in, stk_format *out, stk_error *err)
{
    const stk_scale_attrs *attrs = instance->attrs;
    return attrs->shift == 0 ? stk_formats_any(device, instance, have, in, out, err)
                             : stk_formats_images(device, instance, have, in, out, err);
}

const stk_kernel stk_cpu_scale = {.op = &stk_graph_op_scale,
                                  .name = "native",
                                  .can = stk_cpu_float32,
                                  .formats = formats,
                                  .run = run};
