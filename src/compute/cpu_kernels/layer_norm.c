/* layer_norm and its gradient, row by row. dgamma and dbeta are summed in chunks of a fixed number
 * of rows, so bits do not depend on the number of threads. */
#include "compute/cpu_kernels/channel_tiling.h"
#include "compute/cpu_kernels/cpu_kernels.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/update_ops.h"

#define STK_LOOPS "compute/cpu_kernels/layer_norm_loops.h"
#include "compute/cpu_kernels/widths.h"

enum { DY, X, GAMMA, MEAN, INVSTD };
enum { PIECE_ROWS = 64 };

typedef struct job {
    const stk_kernel_call *call;
    const stk_cpu         *cpu;
    int64_t                rows, width, pieces;
} job;

static job job_of(const stk_kernel_call *call)
{
    const stk_shape *shape = &call->instance.in[0].shape;
    int64_t          width = shape->dim[shape->rank - 1];
    int64_t          rows = width ? stk_type_elements(&call->instance.in[0]) / width : 0;
    return (job){call, stk_cpu_of(call->device), rows, width, (rows + PIECE_ROWS - 1) / PIECE_ROWS};
}

static void norm_part(void *context, int part, int parts)
{
    const job                  *j = context;
    const stk_layer_norm_attrs *attrs = j->call->instance.attrs;
    float                      *mean = j->call->out[1], *invstd = j->call->out[2], spare[2];
    int64_t                     begin, end;
    stk_team_share(j->rows, 1, part, parts, &begin, &end);
    __auto_type norm = STK_PICK(j->cpu, norm_row);
    for (int64_t row = begin; row < end; row++)
        norm((const float *)j->call->in[0] + row * j->width, j->call->in[1], j->call->in[2],
             (float *)j->call->out[0] + row * j->width, j->width, attrs->epsilon,
             mean ? mean + row : &spare[0], invstd ? invstd + row : &spare[1]);
}

static stk_status run(const stk_kernel_call *call, stk_error *err)
{
    job j = job_of(call);
    (void)err;
    stk_work(j.cpu, j.rows * j.width * 8, norm_part, &j);
    return STK_OK;
}

static void back_part(void *context, int part, int parts)
{
    const job   *j = context;
    const float *mean = j->call->in[MEAN], *invstd = j->call->in[INVSTD];
    float       *sums = j->call->scratch;
    int64_t      begin, end;
    __auto_type back = STK_PICK(j->cpu, norm_back_row);
    stk_team_share(j->pieces, 1, part, parts, &begin, &end);
    for (int64_t piece = begin; piece < end; piece++) {
        float  *dgamma = sums + piece * 2 * j->width, *dbeta = dgamma + j->width;
        int64_t last = (piece + 1) * PIECE_ROWS < j->rows ? (piece + 1) * PIECE_ROWS : j->rows;
        memset(dgamma, 0, (size_t)(2 * j->width) * sizeof *dgamma);
        for (int64_t row = piece * PIECE_ROWS; row < last; row++)
            back((const float *)j->call->in[DY] + row * j->width,
                 (const float *)j->call->in[X] + row * j->width, j->call->in[GAMMA], mean[row],
                 invstd[row], (float *)j->call->out[0] + row * j->width, dgamma, dbeta, j->width);
    }
}

static void merge_part(void *context, int part, int parts)
{
    const job   *j = context;
    const float *sums = j->call->scratch;
    float       *out[2] = {j->call->out[1], j->call->out[2]};
    int64_t      begin, end;
    stk_team_share(j->width, 16, part, parts, &begin, &end);
    for (int64_t c = begin; c < end; c++)
        for (int k = 0; k < 2; k++) {
            double sum = 0;
            for (int64_t piece = 0; piece < j->pieces; piece++)
                sum += (double)sums[(piece * 2 + k) * j->width + c];
            if (out[k]) out[k][c] = (float)sum;
        }
}

static stk_status prepare_back(stk_kernel_call *call, size_t *scratch, stk_error *err)
{
    job j = job_of(call);
    (void)err;
    *scratch = (size_t)(j.pieces * 2 * j.width) * sizeof(float);
    return STK_OK;
}

static stk_status run_back(const stk_kernel_call *call, stk_error *err)
{
    job j = job_of(call);
    (void)err;
    stk_work(j.cpu, j.rows * j.width * 12, back_part, &j);
    stk_work(j.cpu, j.pieces * j.width * 8, merge_part, &j);
    return STK_OK;
}

const stk_kernel stk_cpu_layer_norm = {
    .op = &stk_graph_op_layer_norm, .name = "native", .can = stk_cpu_float32, .run = run};
const stk_kernel stk_cpu_layer_norm_grad = {.op = &stk_graph_op_layer_norm_grad,
                                            .name = "native",
                                            .can = stk_cpu_float32,
                                            .prepare = prepare_back,
                                            .run = run_back};
