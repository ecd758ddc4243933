/* softmax and softmax_cross_entropy with gradients, row by row. */
#include "compute/cpu_kernels/channel_tiling.h"
#include "compute/cpu_kernels/cpu_kernels.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/labels.h"
#include "compute/ops/update_ops.h"

#define STK_LOOPS "compute/cpu_kernels/softmax_loops.h"
#include "compute/cpu_kernels/widths.h"

enum { LOGITS, LABELS, DLOSS };

typedef struct job {
    const stk_kernel_call *call;
    const stk_cpu         *cpu;
    int64_t                rows, width;
    float                  by; /* factor of the loss gradient */
} job;

static job job_of(const stk_kernel_call *call)
{
    const stk_shape *shape = &call->instance.in[0].shape;
    int64_t          width = shape->rank ? shape->dim[shape->rank - 1] : 1;
    return (job){call, stk_cpu_of(call->device),
                 width ? stk_type_elements(&call->instance.in[0]) / width : 0, width, 0};
}

static void softmax_part(void *context, int part, int parts)
{
    const job *j = context;
    int64_t    begin, end;
    stk_team_share(j->rows, 1, part, parts, &begin, &end);
    __auto_type row = STK_PICK(j->cpu, softmax);
    for (int64_t at = begin * j->width; at < end * j->width; at += j->width)
        row((const float *)j->call->in[0] + at, (float *)j->call->out[0] + at, j->width);
}

static void back_part(void *context, int part, int parts)
{
    const job *j = context;
    int64_t    begin, end;
    stk_team_share(j->rows, 1, part, parts, &begin, &end);
    __auto_type row = STK_PICK(j->cpu, softmax_back);
    for (int64_t at = begin * j->width; at < end * j->width; at += j->width)
        row((const float *)j->call->in[0] + at, (const float *)j->call->in[1] + at,
            (float *)j->call->out[0] + at, j->width);
}

static stk_status run_softmax(const stk_kernel_call *call, stk_error *err)
{
    job j = job_of(call);
    (void)err;
    stk_work(j.cpu, j.rows * j.width * 8, softmax_part, &j);
    return STK_OK;
}

static stk_status run_back(const stk_kernel_call *call, stk_error *err)
{
    job j = job_of(call);
    (void)err;
    stk_work(j.cpu, j.rows * j.width * 12, back_part, &j);
    return STK_OK;
}

static int64_t label_at(const job *j, int64_t row)
{
    const stk_tensor_type *type = &j->call->instance.in[LABELS];
    if (!stk_labels_are_numbers(type)) return 0;
    return stk_labels_at(type, j->call->in[LABELS], row, j->width);
}

static int64_t count_rows(const job *j)
{
    int64_t count = 0;
    for (int64_t row = 0; row < j->rows; row++)
        count += label_at(j, row) >= 0;
    return count;
}

/* Sum over classes of target * (log-sum-exp - x), shifted by the row maximum. target is the label
 * times (1 - smoothing) plus smoothing / classes. */
static double loss_of(const job *j, int64_t row, int64_t label)
{
    const stk_cross_entropy_attrs *attrs = j->call->instance.attrs;
    const float                   *x = (const float *)j->call->in[LOGITS] + row * j->width;
    float                          row_max, sum, weight = 1, with_x = x[label];
    double                         smooth = attrs->smoothing, spread = 0;
    STK_PICK(j->cpu, log_sum)(x, j->width, &row_max, &sum);
    with_x -= row_max;
    if (!stk_labels_are_numbers(&j->call->instance.in[LABELS])) {
        const float *p = (const float *)j->call->in[LABELS] + row * j->width;
        STK_PICK(j->cpu, weigh)(x, p, j->width, row_max, &weight, &with_x);
    }
    double all = log((double)sum);
    if (smooth != 0) {
        double below = (double)STK_PICK(j->cpu, sum_below)(x, j->width, row_max);
        spread = smooth * (all - below / (double)j->width);
    }
    if (smooth == 1) return spread;
    return (1 - smooth) * ((double)weight * all - (double)with_x) + spread;
}

static void loss_part(void *context, int part, int parts)
{
    const job *j = context;
    double    *losses = j->call->scratch;
    int64_t    begin, end;
    stk_team_share(j->rows, 1, part, parts, &begin, &end);
    for (int64_t row = begin; row < end; row++) {
        int64_t label = label_at(j, row);
        losses[row] = label < 0 ? 0 : loss_of(j, row, label);
    }
}

static stk_status prepare_loss(stk_kernel_call *call, size_t *scratch, stk_error *err)
{
    (void)err;
    *scratch = (size_t)call->instance.in[LOGITS].shape.dim[0] * sizeof(double);
    return STK_OK;
}

static stk_status run_loss(const stk_kernel_call *call, stk_error *err)
{
    job           j = job_of(call);
    const double *losses = call->scratch;
    int64_t       valid = count_rows(&j);
    double        sum = 0;
    (void)err;
    stk_work(j.cpu, j.rows * j.width * 4, loss_part, &j);
    for (int64_t row = 0; row < j.rows; row++)
        sum += losses[row];
    *(float *)call->out[0] = valid ? (float)(sum / (double)valid) : 0;
    return STK_OK;
}

/* dx = by (softmax * sum(target) - target). */
static void loss_back_row(const job *j, int64_t row, int64_t label)
{
    const stk_cross_entropy_attrs *attrs = j->call->instance.attrs;
    bool                           numbers = stk_labels_are_numbers(&j->call->instance.in[LABELS]);
    const float *x = (const float *)j->call->in[LOGITS] + row * j->width, *p = NULL;
    float       *dx = (float *)j->call->out[0] + row * j->width;
    float        row_max, sum, weight = 1, with_x, rest = (float)(1 - attrs->smoothing);
    float        offset = (float)((double)j->by * attrs->smoothing / (double)j->width);
    STK_PICK(j->cpu, log_sum)(x, j->width, &row_max, &sum);
    if (!numbers) {
        p = (const float *)j->call->in[LABELS] + row * j->width;
        STK_PICK(j->cpu, weigh)(x, p, j->width, row_max, &weight, &with_x);
        weight = weight * rest + (float)attrs->smoothing;
    }
    STK_PICK(j->cpu, loss_back)
    (x, p, dx, j->width, row_max, j->by * weight / sum, j->by * rest, offset);
    if (numbers) dx[label] -= j->by * rest;
}

static void loss_back_part(void *context, int part, int parts)
{
    const job *j = context;
    int64_t    begin, end;
    stk_team_share(j->rows, 1, part, parts, &begin, &end);
    for (int64_t row = begin; row < end; row++) {
        int64_t label = label_at(j, row);
        if (label >= 0)
            loss_back_row(j, row, label);
        else
            memset((float *)j->call->out[0] + row * j->width, 0, (size_t)j->width * sizeof(float));
    }
}

static stk_status run_loss_back(const stk_kernel_call *call, stk_error *err)
{
    job     j = job_of(call);
    int64_t valid = count_rows(&j);
    (void)err;
    j.by = valid ? (float)((double)*(const float *)call->in[DLOSS] / (double)valid) : 0;
    stk_work(j.cpu, j.rows * j.width * 8, loss_back_part, &j);
    return STK_OK;
}

const stk_kernel stk_cpu_softmax = {
    .op = &stk_graph_op_softmax, .name = "native", .can = stk_cpu_float32, .run = run_softmax};
const stk_kernel stk_cpu_softmax_grad = {
    .op = &stk_graph_op_softmax_grad, .name = "native", .can = stk_cpu_float32, .run = run_back};
const stk_kernel stk_cpu_softmax_cross_entropy = {.op = &stk_graph_op_softmax_cross_entropy,
                                                  .name = "native",
                                                  .can = stk_cpu_float32,
                                                  .prepare = prepare_loss,
                                                  .run = run_loss};
const stk_kernel stk_cpu_softmax_cross_entropy_grad = {.op =
                                                           &stk_graph_op_softmax_cross_entropy_grad,
                                                       .name = "native",
                                                       .can = stk_cpu_float32,
                                                       .run = run_loss_back};
