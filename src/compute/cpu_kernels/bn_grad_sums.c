/* bn_grad_sums: dgamma and dbeta in one pass over dy, x and the mask inputs. */
#include "compute/cpu_kernels/bn_grad.h"
#include "compute/cpu_kernels/cpu_kernels.h"
#include "compute/cpu_kernels/sums.h"
#include "compute/ops/graph_ops.h"

enum { DY, X, MEAN, INVSTD, MASK };

typedef struct sum_rows {
    stk_bn_tile tile; /* the first row */
    int64_t     rows, stride;
    float      *sum, *with_x;
} sum_rows;

#define STK_LOOPS "compute/cpu_kernels/bn_grad_sums_loops.h"
#include "compute/cpu_kernels/widths.h"

typedef struct job {
    const stk_cpu           *cpu;
    const stk_kernel_call   *call;
    const stk_bn_grad_attrs *attrs;
    stk_sums                 plan;
    void (*loop)(const sum_rows *rows);
} job;

/* Materializes dz row by row, for expensive activations. */
static void rows_by_dz(const job *j, sum_rows *rows)
{
    float       dz[STK_TILE_CAPACITY];
    stk_bn_tile row = rows->tile;
    sum_rows    one = {.rows = 1, .sum = rows->sum, .with_x = rows->with_x};
    for (int64_t r = 0; r < rows->rows; r++) {
        stk_bn_grad_dz(j->cpu, j->attrs, &row, dz);
        one.tile = row;
        one.tile.dy = dz;
        j->loop(&one);
        row.dy += rows->stride;
        row.x += rows->stride;
        if (row.y) row.y += rows->stride;
    }
}

static void one_piece(const job *j, int64_t index)
{
    const stk_kernel_call *call = j->call;
    stk_sum_item           item = stk_sum_item_at(&j->plan, index);
    float                  sum[STK_TILE_CAPACITY] = {0}, with_x[STK_TILE_CAPACITY] = {0},
          scratch[3][STK_TILE_CAPACITY];
    stk_sum_values(&j->plan, &item, call->in[MEAN], scratch[0]);
    for (int i = 0; i < 2 && j->attrs->mask == STK_BN_MASK_INPUT; i++)
        stk_sum_values(&j->plan, &item, call->in[MASK + i], scratch[1 + i]);
    while (stk_sum_next(&j->plan, &item)) {
        sum_rows rows = {.tile = {.dy = (const float *)call->in[DY] + item.offset,
                                  .x = (const float *)call->in[X] + item.offset,
                                  .mean = scratch[0],
                                  .scale = scratch[1],
                                  .shift = scratch[2],
                                  .count = item.width,
                                  .a = j->attrs->act.a,
                                  .b = j->attrs->act.b},
                         .rows = item.rows,
                         .stride = item.stride,
                         .sum = sum,
                         .with_x = with_x};
        if (j->attrs->mask == STK_BN_MASK_OUTPUT)
            rows.tile.y = (const float *)call->in[MASK] + item.offset;
        if (stk_bn_grad_is_cheap(j->attrs))
            j->loop(&rows);
        else
            rows_by_dz(j, &rows);
    }
    stk_sum_fold(&j->plan, &item, with_x, call->scratch, 0, 2);
    stk_sum_fold(&j->plan, &item, sum, call->scratch, 1, 2);
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
    const job             *j = context;
    const stk_kernel_call *call = j->call;
    const double          *partial = call->scratch;
    const float           *invstd = call->in[INVSTD];
    float                 *dgamma = call->out[0], *dbeta = call->out[1];
    int64_t                begin, end;
    stk_team_share(j->plan.tiling.channels, 16, part, parts, &begin, &end);
    for (int64_t c = begin; c < end; c++) {
        double with_x = 0, sum = 0;
        for (int64_t p = 0; p < j->plan.pieces; p++) {
            with_x += partial[p * 2 * j->plan.padded + c];
            sum += partial[(p * 2 + 1) * j->plan.padded + c];
        }
        if (dgamma) dgamma[c] = (float)(with_x * (double)invstd[c]);
        if (dbeta) dbeta[c] = (float)sum;
    }
}

static stk_status prepare(stk_kernel_call *call, size_t *scratch, stk_error *err)
{
    (void)err;
    stk_sums plan = stk_sums_plan(&call->instance.in[X], call->in_format[X], false);
    *scratch = stk_sums_bytes(&plan, 2);
    return STK_OK;
}

static stk_status run(const stk_kernel_call *call, stk_error *err)
{
    const stk_cpu           *cpu = stk_cpu_of(call->device);
    const stk_bn_grad_attrs *attrs = call->instance.attrs;
    bool                     cheap = stk_bn_grad_is_cheap(attrs);
    job                      j = {.cpu = cpu,
                                  .call = call,
                                  .attrs = attrs,
                                  .plan = stk_sums_plan(&call->instance.in[X], call->in_format[X], false)};
    (void)err;
    j.loop = cheap ? STK_PICK(cpu, sums_loops)[attrs->mask][stk_act_kind_of(&attrs->act)]
                   : STK_PICK(cpu, sums_none);
    stk_work(cpu, stk_call_floats(call, &call->instance.in[X], call->in_format[X]) * 8, sum_part,
             &j);
    stk_work(cpu, j.plan.pieces * j.plan.padded * 16, merge_part, &j);
    return STK_OK;
}

const stk_kernel stk_cpu_bn_grad_sums = {.op = &stk_graph_op_bn_grad_sums,
                                         .name = "native",
                                         .can = stk_bn_grad_can,
                                         .formats = stk_formats_images,
                                         .prepare = prepare,
                                         .run = run};
