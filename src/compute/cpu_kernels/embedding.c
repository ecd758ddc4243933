/* embedding: rows of a table. In the gradient each thread adds its own columns of all rows in
 * order, so bits do not depend on the number of threads. */
#include "compute/cpu_kernels/channel_tiling.h"
#include "compute/cpu_kernels/cpu_kernels.h"
#include "compute/ops/graph_ops.h"
#include <math.h>
#include <string.h>

typedef struct job {
    const stk_kernel_call *call;
    int64_t                rows, width, count;
} job;

static int64_t id_at(const job *j, int64_t i)
{
    const void *ids = j->call->in[1];
    int64_t     id = j->call->instance.in[1].dtype == STK_DTYPE_I64 ? ((const int64_t *)ids)[i]
                                                                    : ((const int32_t *)ids)[i];
    return id >= 0 && id < j->rows ? id : -1;
}

static void row_part(void *context, int part, int parts)
{
    const job   *j = context;
    const float *table = j->call->in[0];
    float       *y = j->call->out[0];
    int64_t      begin, end;
    stk_team_share(j->count, 1, part, parts, &begin, &end);
    for (int64_t i = begin; i < end; i++) {
        int64_t id = id_at(j, i);
        if (id >= 0) memcpy(y + i * j->width, table + id * j->width, (size_t)j->width * sizeof *y);
        for (int64_t d = 0; d < j->width && id < 0; d++)
            y[i * j->width + d] = NAN;
    }
}

static void column_part(void *context, int part, int parts)
{
    const job   *j = context;
    const float *dy = j->call->in[0];
    float       *dtable = j->call->out[0];
    int64_t      begin, end;
    stk_team_share(j->width, 16, part, parts, &begin, &end);
    for (int64_t row = 0; row < j->rows; row++)
        memset(dtable + row * j->width + begin, 0, (size_t)(end - begin) * sizeof *dtable);
    for (int64_t i = 0; i < j->count; i++) {
        int64_t id = id_at(j, i);
        for (int64_t d = begin; d < end && id >= 0; d++)
            dtable[id * j->width + d] += dy[i * j->width + d];
    }
}

static stk_status run(const stk_kernel_call *call, stk_error *err)
{
    const stk_shape *table = &call->instance.in[0].shape;
    job j = {call, table->dim[0], table->dim[1], stk_type_elements(&call->instance.in[1])};
    (void)err;
    stk_work(stk_cpu_of(call->device), j.count * j.width * 8, row_part, &j);
    return STK_OK;
}

static stk_status run_back(const stk_kernel_call *call, stk_error *err)
{
    const stk_shape *table = &call->instance.out[0].shape;
    job j = {call, table->dim[0], table->dim[1], stk_type_elements(&call->instance.in[1])};
    (void)err;
    stk_work(stk_cpu_of(call->device), (j.count + j.rows) * j.width * 4, column_part, &j);
    return STK_OK;
}

const stk_kernel stk_cpu_embedding = {
    .op = &stk_graph_op_embedding, .name = "native", .can = stk_cpu_float32, .run = run};
const stk_kernel stk_cpu_embedding_grad = {
    .op = &stk_graph_op_embedding_grad, .name = "native", .can = stk_cpu_float32, .run = run_back};
