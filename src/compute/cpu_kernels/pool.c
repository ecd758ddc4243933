/* Max and average pooling with gradients, row by row of the result, in any image format. */
#include "compute/ops/pool.h"
#include "compute/cpu_kernels/channel_tiling.h"
#include "compute/cpu_kernels/cpu_kernels.h"
#include "compute/ops/graph_ops.h"

typedef struct taps { /* taps of a window inside the image; or windows of an element */
    int64_t begin, end;
} taps;

static inline taps taps_of(const stk_kernel_window *w, int64_t window)
{
    int64_t first = window * w->stride - w->before, left = w->size - first;
    return (taps){first < 0 ? -first : 0, left < w->kernel ? left : w->kernel};
}

/* Windows over the element at `at`, counted with padding. t holds those of an earlier element, or
 * 0, 0. */
static inline void windows_of(const stk_kernel_window *w, int64_t at, taps *t)
{
    while (t->begin * w->stride + w->kernel <= at)
        t->begin++;
    while (t->end < w->count && t->end * w->stride <= at)
        t->end++;
}

typedef struct pool_row {
    stk_kernel_window down, across;
    const float      *x; /* the plane */
    int64_t           block, first;
    taps              rows;
    bool              count_pad;
    float            *y;
    uint8_t          *indices; /* may be NULL */
} pool_row;

typedef struct back_row {
    stk_kernel_window down, across;
    const float      *dy; /* the plane */
    const uint8_t    *indices;
    int64_t           block, at;
    taps              rows;
    bool              count_pad;
    float            *dx;
} back_row;

#define STK_LOOPS "compute/cpu_kernels/pool_loops.h"
#include "compute/cpu_kernels/widths.h"

typedef struct job {
    const stk_kernel_call *call;
    stk_pool_shape         shape;
    stk_channels           channels; /* of x or dx */
    bool                   count_pad;
    void (*loop)(const pool_row *row);
    void (*back)(const back_row *row);
} job;

static void pool_part(void *context, int part, int parts)
{
    const job               *j = context;
    const stk_kernel_window *down = &j->shape.down, *across = &j->shape.across;
    uint8_t                 *indices = j->call->instance.output_count > 1 ? j->call->out[1] : NULL;
    int64_t                  begin, end, block = j->channels.block, row = across->count * block;
    stk_team_share(j->channels.outer * j->channels.blocks * down->count, 1, part, parts, &begin,
                   &end);
    for (int64_t i = begin; i < end; i++) {
        int64_t plane = i / down->count, oy = i % down->count;
        j->loop(&(pool_row){.down = *down,
                            .across = *across,
                            .x = (const float *)j->call->in[0] +
                                 plane * down->size * across->size * block,
                            .block = block,
                            .first = oy * down->stride - down->before,
                            .rows = taps_of(down, oy),
                            .count_pad = j->count_pad,
                            .y = (float *)j->call->out[0] + i * row,
                            .indices = indices ? indices + i * row : NULL});
    }
}

static void back_part(void *context, int part, int parts)
{
    const job               *j = context;
    const stk_kernel_window *down = &j->shape.down, *across = &j->shape.across;
    const uint8_t           *indices = j->call->instance.input_count > 1 ? j->call->in[1] : NULL;
    int64_t                  begin, end, block = j->channels.block;
    int64_t                  plane_size = down->count * across->count * block;
    stk_team_share(j->channels.outer * j->channels.blocks * down->size, 1, part, parts, &begin,
                   &end);
    for (int64_t i = begin; i < end; i++) {
        int64_t  plane = i / down->size, at = i % down->size + down->before;
        back_row row = {.down = *down,
                        .across = *across,
                        .dy = (const float *)j->call->in[0] + plane * plane_size,
                        .indices = indices ? indices + plane * plane_size : NULL,
                        .block = block,
                        .at = at,
                        .count_pad = j->count_pad,
                        .dx = (float *)j->call->out[0] + i * across->size * block};
        windows_of(down, at, &row.rows);
        j->back(&row);
    }
}

static job job_of(const stk_kernel_call *call)
{
    const stk_pool_attrs *attrs = call->instance.attrs;
    return (job){.call = call,
                 .shape = stk_pool_shape_of(&call->instance),
                 .channels = stk_channels_of(&call->instance.out[0], call->out_format[0]),
                 .count_pad = attrs->count_pad};
}

static stk_status run(const stk_kernel_call *call, stk_error *err)
{
    const stk_cpu *cpu = stk_cpu_of(call->device);
    job            j = job_of(call);
    (void)err;
    j.loop =
        call->op == &stk_graph_op_max_pool ? STK_PICK(cpu, max_row) : STK_PICK(cpu, average_row);
    stk_work(cpu, stk_call_floats(call, &call->instance.in[0], call->in_format[0]) * 4, pool_part,
             &j);
    return STK_OK;
}

static stk_status run_back(const stk_kernel_call *call, stk_error *err)
{
    const stk_cpu *cpu = stk_cpu_of(call->device);
    job            j = job_of(call);
    (void)err;
    j.back = call->op == &stk_graph_op_max_pool_grad ? STK_PICK(cpu, max_back_row)
                                                     : STK_PICK(cpu, average_back_row);
    stk_work(cpu, stk_call_floats(call, &call->instance.out[0], call->out_format[0]) * 4, back_part,
             &j);
    return STK_OK;
}

/* y and indices take the format of x. */
static stk_status formats(stk_device *device, const stk_op_instance *instance,
                          const stk_format *have, stk_format *in, stk_format *out, stk_error *err)
{
    (void)device, (void)err;
    stk_format format = STK_FORMAT_PLAIN;
    for (int i = 0; i < instance->input_count; i++)
        if (have[i] == STK_FORMAT_C8 || have[i] == STK_FORMAT_C16) format = have[i];
    for (int i = 0; i < instance->input_count; i++)
        in[i] = format;
    for (int o = 0; o < instance->output_count; o++)
        out[o] = format;
    return STK_OK;
}

#define KERNEL(id, run_)                                                                           \
    const stk_kernel stk_cpu_##id = {.op = &stk_graph_op_##id,                                     \
                                     .name = "native",                                             \
                                     .can = stk_cpu_float32,                                       \
                                     .formats = formats,                                           \
                                     .run = run_}

KERNEL(max_pool, run);
KERNEL(average_pool, run);
KERNEL(max_pool_grad, run_back);
KERNEL(average_pool_grad, run_back);
