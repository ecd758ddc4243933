/* upsample and its gradient: each result pixel is a weighted sum of pixels, in any image format. */
#include "compute/cpu_kernels/channel_tiling.h"
#include "compute/cpu_kernels/cpu_kernels.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/shapes.h"
#include <stoker/ops.h>

#define STK_LOOPS "compute/cpu_kernels/upsample_loops.h"
#include "compute/cpu_kernels/widths.h"

typedef struct job {
    const stk_kernel_call *call;
    stk_channels           channels;
    int64_t                factor, small[2]; /* sides of the smaller image */
    bool                   linear, forward;
    void (*add)(const float *pixel, float weight, float *to, int64_t block);
} job;

/* Weight of small pixel e in large pixel r: see src/compute/ops/upsample.c. */
static float weight(const job *j, int64_t size, int64_t r, int64_t e)
{
    if (!j->linear) return e == r / j->factor;
    double at = ((double)r + 0.5) / (double)j->factor - 0.5, last = (double)(size - 1);
    at = at < 0 ? 0 : at > last ? last : at;
    double distance = fabs(at - (double)e);
    return distance < 1 ? (float)(1 - distance) : 0;
}

typedef struct range {
    int64_t first, end;
} range;

/* Range of pixels along one axis that pixel `at` of the result depends on. */
static range sources(const job *j, int64_t size, int64_t at)
{
    int64_t k = j->factor, all = j->forward ? size : size * k;
    range   r = j->forward ? (range){at / k - 1, at / k + 2} : (range){(at - 1) * k, (at + 2) * k};
    return (range){r.first < 0 ? 0 : r.first, r.end > all ? all : r.end};
}

static float side_weight(const job *j, int side, int64_t to, int64_t from)
{
    return j->forward ? weight(j, j->small[side], to, from) : weight(j, j->small[side], from, to);
}

static void one_row(const job *j, const float *plane, int64_t row, int64_t columns, float *to)
{
    int64_t block = j->channels.block, width = j->forward ? j->small[1] : j->small[1] * j->factor;
    range   rows = sources(j, j->small[0], row);
    memset(to, 0, (size_t)(columns * block) * sizeof *to);
    for (int64_t y = rows.first; y < rows.end; y++) {
        float down = side_weight(j, 0, row, y);
        for (int64_t column = 0; column < columns && down != 0; column++) {
            range across = sources(j, j->small[1], column);
            for (int64_t x = across.first; x < across.end; x++) {
                float part = down * side_weight(j, 1, column, x);
                if (part != 0)
                    j->add(plane + (y * width + x) * block, part, to + column * block, block);
            }
        }
    }
}

static void work(void *context, int part, int parts)
{
    const job       *j = context;
    const stk_shape *from = &j->call->instance.in[0].shape, *to = &j->call->instance.out[0].shape;
    int64_t          begin, end, block = j->channels.block;
    stk_team_share(j->channels.outer * j->channels.blocks * to->dim[1], 1, part, parts, &begin,
                   &end);
    for (int64_t i = begin; i < end; i++)
        one_row(
            j, (const float *)j->call->in[0] + i / to->dim[1] * from->dim[1] * from->dim[2] * block,
            i % to->dim[1], to->dim[2], (float *)j->call->out[0] + i * to->dim[2] * block);
}

static stk_status run(const stk_kernel_call *call, stk_error *err)
{
    const stk_upsample_attrs *attrs = call->instance.attrs;
    const stk_cpu            *cpu = stk_cpu_of(call->device);
    bool                      forward = call->op == &stk_graph_op_upsample;
    const stk_shape *small = forward ? &call->instance.in[0].shape : &call->instance.out[0].shape;
    job              j = {.call = call,
                          .channels = stk_channels_of(&call->instance.in[0], call->in_format[0]),
                          .factor = attrs->factor,
                          .small = {small->dim[1], small->dim[2]},
                          .linear = attrs->kind == STK_UPSAMPLE_BILINEAR,
                          .forward = forward,
                          .add = STK_PICK(cpu, add_weighted)};
    (void)err;
    stk_work(cpu, stk_call_floats(call, &call->instance.out[0], call->out_format[0]) * 8, work, &j);
    return STK_OK;
}

static stk_status formats(stk_device *device, const stk_op_instance *instance,
                          const stk_format *have, stk_format *in, stk_format *out, stk_error *err)
{
    (void)device, (void)instance, (void)err;
    bool blocks = have[0] == STK_FORMAT_C8 || have[0] == STK_FORMAT_C16;
    in[0] = out[0] = blocks ? have[0] : STK_FORMAT_PLAIN;
    return STK_OK;
}

#define KERNEL(id)                                                                                 \
    const stk_kernel stk_cpu_##id = {.op = &stk_graph_op_##id,                                     \
                                     .name = "native",                                             \
                                     .can = stk_cpu_float32,                                       \
                                     .formats = formats,                                           \
                                     .run = run}

KERNEL(upsample);
KERNEL(upsample_grad);
