/* cast between float32 and bfloat16, elementwise in any format. */
#include "compute/cpu_kernels/channel_tiling.h"
#include "compute/cpu_kernels/cpu_kernels.h"
#include "compute/ops/graph_ops.h"

#define STK_LOOPS "compute/cpu_kernels/cast_loops.h"
#include "compute/cpu_kernels/widths.h"

typedef struct job {
    const stk_kernel_call *call;
    const stk_cpu         *cpu;
    int64_t                count;
} job;

static bool can(const stk_device *device, const stk_op_instance *instance)
{
    (void)device;
    stk_dtype from = instance->in[0].dtype, to = instance->out[0].dtype;
    return (from == STK_DTYPE_F32 && to == STK_DTYPE_BF16) ||
           (from == STK_DTYPE_BF16 && to == STK_DTYPE_F32);
}

static void work(void *context, int part, int parts)
{
    const job  *j = context;
    const void *x = j->call->in[0];
    void       *y = j->call->out[0];
    int64_t     begin, end;
    stk_team_share(j->count, STK_TILE_DEFAULT, part, parts, &begin, &end);
    if (j->call->instance.in[0].dtype == STK_DTYPE_F32)
        STK_PICK(j->cpu, to_bf16)((const float *)x + begin, (uint16_t *)y + begin, end - begin);
    else
        STK_PICK(j->cpu, from_bf16)((const uint16_t *)x + begin, (float *)y + begin, end - begin);
}

static stk_status run(const stk_kernel_call *call, stk_error *err)
{
    size_t bytes = call->device->backend->format_bytes(call->device, &call->instance.in[0],
                                                       call->in_format[0]);
    job    j = {call, stk_cpu_of(call->device),
                (int64_t)(bytes / stk_dtype_bytes(call->instance.in[0].dtype))};
    (void)err;
    stk_work(j.cpu, j.count * 6, work, &j);
    return STK_OK;
}

/* An opaque format includes the type, so it cannot be kept. */
const stk_kernel stk_cpu_cast = {.op = &stk_graph_op_cast,
                                 .name = "native",
                                 .can = can,
                                 .formats = stk_formats_images,
                                 .run = run};
