/* bn_stats in one pass. Each chunk subtracts its first pixel, so that no large values are squared
 * if the mean is far from 0. Chunks are merged by their means. */
#include "compute/cpu_kernels/cpu_kernels.h"
#include "compute/cpu_kernels/sums.h"
#include "compute/ops/graph_ops.h"

#define STK_LOOPS "compute/cpu_kernels/bn_stats_loops.h"
#include "compute/cpu_kernels/widths.h"

typedef struct job {
    stk_sums     plan;
    const float *x;
    float       *mean, *var;
    double      *partial; /* mean, then sum of squares around it */
    void (*loop)(const float *x, const stk_sum_item *rows, const float *shift, float *sum,
                 float *squares);
} job;

static void one_piece(const job *j, int64_t index)
{
    float shift[STK_TILE_CAPACITY], sum[STK_TILE_CAPACITY] = {0}, squares[STK_TILE_CAPACITY] = {0};
    stk_sum_item item = stk_sum_item_at(&j->plan, index);
    double       count = (double)stk_sums_pixels(&j->plan, item.piece);
    for (bool first = true; stk_sum_next(&j->plan, &item); first = false) {
        if (first) stk_sum_spread(&item, j->x + item.offset, shift);
        j->loop(j->x + item.offset, &item, shift, sum, squares);
    }
    stk_sum_fold(&j->plan, &item, sum, j->partial, 0, 2);
    stk_sum_fold(&j->plan, &item, squares, j->partial, 1, 2);
    double *mean = j->partial + item.piece * 2 * j->plan.padded + item.first;
    double *squared = mean + j->plan.padded;
    for (int64_t c = 0; c < item.lanes; c++) {
        double off = mean[c] / count;
        squared[c] -= off * mean[c];
        mean[c] = off + (double)shift[c];
    }
}

static void sum_part(void *context, int part, int parts)
{
    const job *j = context;
    int64_t    begin, end;
    stk_team_share(j->plan.items, 1, part, parts, &begin, &end);
    for (int64_t i = begin; i < end; i++)
        one_piece(j, i);
}

static void merge_part(void *context, int part, int parts)
{
    const job *j = context;
    int64_t    begin, end, step = j->plan.padded * 2;
    stk_team_share(j->plan.tiling.channels, 16, part, parts, &begin, &end);
    for (int64_t c = begin; c < end; c++) {
        double sum = 0, squared = 0, total = 0;
        for (int64_t p = 0; p < j->plan.pieces; p++) {
            double count = (double)stk_sums_pixels(&j->plan, p);
            sum += count * j->partial[p * step + c];
            total += count;
        }
        sum /= total;
        for (int64_t p = 0; p < j->plan.pieces; p++) {
            double off = j->partial[p * step + c] - sum;
            squared += j->partial[p * step + j->plan.padded + c] +
                       (double)stk_sums_pixels(&j->plan, p) * off * off;
        }
        j->mean[c] = (float)sum;
        j->var[c] = (float)(squared > 0 || squared != squared ? squared / total : 0);
    }
}

static stk_status prepare(stk_kernel_call *call, size_t *scratch, stk_error *err)
{
    (void)err;
    stk_sums plan = stk_sums_plan(&call->instance.in[0], call->in_format[0], false);
    *scratch = stk_sums_bytes(&plan, 2);
    return STK_OK;
}

static stk_status run(const stk_kernel_call *call, stk_error *err)
{
    const stk_cpu *cpu = stk_cpu_of(call->device);
    job            j = {.plan = stk_sums_plan(&call->instance.in[0], call->in_format[0], false),
                        .x = call->in[0],
                        .mean = call->out[0],
                        .var = call->out[1],
                        .partial = call->scratch,
                        .loop = STK_PICK(cpu, stats)};
    (void)err;
    stk_work(cpu, stk_call_floats(call, &call->instance.in[0], call->in_format[0]) * 4, sum_part,
             &j);
    stk_work(cpu, j.plan.pieces * j.plan.padded * 16, merge_part, &j);
    return STK_OK;
}

const stk_kernel stk_cpu_bn_stats = {.op = &stk_graph_op_bn_stats,
                                     .name = "native",
                                     .can = stk_cpu_float32,
                                     .formats = stk_formats_images,
                                     .prepare = prepare,
                                     .run = run};
