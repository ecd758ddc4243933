/* reduce_sum and reduce_mean. Adjacent dimensions that are all kept or all reduced are merged. The
 * result is a sum per channel, or per image and channel. A full sum has one channel; sums of rows
 * are images of one channel. */
#include "compute/ops/reduce.h"
#include "compute/cpu_kernels/cpu_kernels.h"
#include "compute/cpu_kernels/sums.h"
#include "compute/ops/graph_ops.h"

#define STK_LOOPS "compute/cpu_kernels/reduce_loops.h"
#include "compute/cpu_kernels/widths.h"

/* Merges dimensions to [kept, reduced, kept]. False if that is impossible. */
static bool three_parts(const stk_op_instance *instance, int64_t part[3])
{
    const stk_reduce_attrs *attrs = instance->attrs;
    const stk_shape        *shape = &instance->in[0].shape;
    int                     at = 0;
    part[0] = part[1] = part[2] = 1;
    for (int d = 0; d < shape->rank; d++) {
        bool reduced = attrs->axes >> d & 1;
        if (shape->dim[d] == 1) continue;
        if (reduced != (at == 1)) at++;
        if (at > 2) return false;
        part[at] *= shape->dim[d];
    }
    return true;
}

static bool can(const stk_device *device, const stk_op_instance *instance)
{
    int64_t part[3];
    return stk_cpu_float32(device, instance) && three_parts(instance, part) && part[0] && part[1] &&
           part[2];
}

enum { ALL = 15, PER_CHANNEL = 7, PER_IMAGE = 6 }; /* axes of images */

static bool of_images(const stk_op_instance *instance)
{
    const stk_reduce_attrs *attrs = instance->attrs;
    return instance->in[0].shape.rank == 4 &&
           (attrs->axes == ALL || attrs->axes == PER_CHANNEL || attrs->axes == PER_IMAGE);
}

static stk_status formats(stk_device *device, const stk_op_instance *instance,
                          const stk_format *have, stk_format *in, stk_format *out, stk_error *err)
{
    (void)device, (void)err;
    bool blocks = have[0] == STK_FORMAT_C8 || have[0] == STK_FORMAT_C16;
    in[0] = blocks && of_images(instance) ? have[0] : STK_FORMAT_PLAIN;
    out[0] = STK_FORMAT_PLAIN;
    return STK_OK;
}

/* The tensor as a channels tensor. */
static stk_sums plan_of(const stk_kernel_call *call)
{
    const stk_reduce_attrs *attrs = call->instance.attrs;
    stk_tensor_type         type = {STK_DTYPE_F32, {.rank = 3}};
    if (call->in_format[0] && attrs->axes != ALL)
        return stk_sums_plan(&call->instance.in[0], call->in_format[0], attrs->axes == PER_IMAGE);
    (void)three_parts(&call->instance, type.shape.dim);
    if (call->in_format[0])
        type.shape.dim[1] = stk_call_floats(call, &call->instance.in[0], call->in_format[0]);
    return stk_sums_plan(&type, STK_FORMAT_PLAIN, type.shape.dim[0] > 1);
}

typedef struct job {
    stk_sums     plan;
    const float *x;
    float       *y;
    double      *partial, by;
    bool         by_image;
    void (*loop)(const float *x, const stk_sum_item *rows, float *sum);
} job;

static void sum_part(void *context, int part, int parts)
{
    const job *j = context;
    int64_t    begin, end;
    stk_team_share(j->plan.items, 1, part, parts, &begin, &end);
    for (int64_t i = begin; i < end; i++) {
        float        sum[STK_TILE_CAPACITY];
        stk_sum_item item = stk_sum_item_at(&j->plan, i);
        memset(sum, 0, (size_t)(item.tile * item.lanes) * sizeof *sum);
        while (stk_sum_next(&j->plan, &item))
            j->loop(j->x + item.offset, &item, sum);
        stk_sum_fold(&j->plan, &item, sum, j->partial, 0, 1);
    }
}

static void merge_part(void *context, int part, int parts)
{
    const job *j = context;
    int64_t    channels = j->plan.tiling.channels, begin, end;
    int64_t    pieces = j->by_image ? 1 : j->plan.pieces;
    int64_t    results = j->by_image ? j->plan.images * channels : channels;
    stk_team_share(results, 16, part, parts, &begin, &end);
    for (int64_t r = begin; r < end; r++) {
        double sum = 0;
        for (int64_t p = 0; p < pieces; p++)
            sum += j->partial[(r / channels + p) * j->plan.padded + r % channels];
        j->y[r] = (float)(sum * j->by);
    }
}

static stk_status prepare(stk_kernel_call *call, size_t *scratch, stk_error *err)
{
    (void)err;
    stk_sums plan = plan_of(call);
    *scratch = stk_sums_bytes(&plan, 1);
    return STK_OK;
}

static stk_status run(const stk_kernel_call *call, stk_error *err)
{
    const stk_cpu          *cpu = stk_cpu_of(call->device);
    const stk_reduce_attrs *attrs = call->instance.attrs;
    int64_t                 part[3];
    job                     j = {.plan = plan_of(call),
                                 .x = call->in[0],
                                 .y = call->out[0],
                                 .partial = call->scratch,
                                 .by = 1,
                                 .loop = STK_PICK(cpu, sum)};
    (void)err;
    (void)three_parts(&call->instance, part);
    j.by_image = call->in_format[0] ? attrs->axes == PER_IMAGE : part[0] > 1;
    if (call->op == &stk_graph_op_reduce_mean) j.by = 1 / (double)stk_reduce_count(&call->instance);
    stk_work(cpu, stk_call_floats(call, &call->instance.in[0], call->in_format[0]) * 4, sum_part,
             &j);
    stk_work(cpu, j.plan.pieces * j.plan.padded * 8, merge_part, &j);
    return STK_OK;
}

#define KERNEL(id)                                                                                 \
    const stk_kernel stk_cpu_##id = {.op = &stk_graph_op_##id,                                     \
                                     .name = "native",                                             \
                                     .can = can,                                                   \
                                     .formats = formats,                                           \
                                     .prepare = prepare,                                           \
                                     .run = run}

KERNEL(reduce_sum);
KERNEL(reduce_mean);
