/* top_k_correct: rows are divided among threads. */
#include "compute/cpu_kernels/channel_tiling.h"
#include "compute/cpu_kernels/cpu_kernels.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/labels.h"
#include "compute/ops/update_ops.h"
#include <stdatomic.h>

typedef struct job {
    const stk_kernel_call *call;
    int64_t                rows, classes;
    atomic_llong           correct;
} job;

/* Counts the logits that rank before the label's: those not smaller; of equal ones, those with a
 * smaller index. */
static bool is_among_top(const float *x, int64_t classes, int64_t label, int64_t k)
{
    int64_t before = -1; /* the label itself is counted */
    float   of_label = x[label];
    for (int64_t i = 0; i <= label; i++)
        before += !(x[i] < of_label);
    for (int64_t i = label + 1; i < classes; i++)
        before += !(x[i] <= of_label);
    return before < k;
}

static void work(void *context, int part, int parts)
{
    job                   *j = context;
    const stk_top_k_attrs *attrs = j->call->instance.attrs;
    int64_t                begin, end, correct = 0;
    stk_team_share(j->rows, 1, part, parts, &begin, &end);
    for (int64_t row = begin; row < end; row++) {
        int64_t label = stk_labels_at(&j->call->instance.in[1], j->call->in[1], row, j->classes);
        const float *x = (const float *)j->call->in[0] + row * j->classes;
        correct += label >= 0 && is_among_top(x, j->classes, label, attrs->k);
    }
    atomic_fetch_add(&j->correct, correct);
}

static stk_status run(const stk_kernel_call *call, stk_error *err)
{
    const stk_shape *logits = &call->instance.in[0].shape;
    job              j = {.call = call, .rows = logits->dim[0], .classes = logits->dim[1]};
    (void)err;
    stk_work(stk_cpu_of(call->device), j.rows * j.classes * 4, work, &j);
    *(float *)call->out[0] = (float)atomic_load(&j.correct);
    return STK_OK;
}

const stk_kernel stk_cpu_top_k_correct = {
    .op = &stk_graph_op_top_k_correct, .name = "native", .can = stk_cpu_float32, .run = run};
