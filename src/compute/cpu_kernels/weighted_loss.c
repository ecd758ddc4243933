/* weighted_cross_entropy and its gradient, row by row. Classes with a target are computed in
 * double; all classes only if labels are probabilities or smoothed. */
#include "compute/cpu_kernels/channel_tiling.h"
#include "compute/cpu_kernels/cpu_kernels.h"
#include "compute/ops/focal.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/labels.h"
#include "compute/ops/update_ops.h"

#define STK_LOOPS "compute/cpu_kernels/weighted_loss_loops.h"
#include "compute/cpu_kernels/widths.h"

enum { LOGITS, LABELS, DLOSS };

typedef struct job {
    const stk_kernel_call            *call;
    const stk_cpu                    *cpu;
    const stk_weighted_entropy_attrs *attrs;
    const float                      *weights; /* NULL: all 1 */
    int64_t                           rows, width;
    bool                              numbers;
    double                            by; /* factor of the loss gradient */
} job;

static job job_of(const stk_kernel_call *call, int weights)
{
    const stk_shape *shape = &call->instance.in[LOGITS].shape;
    return (job){.call = call,
                 .cpu = stk_cpu_of(call->device),
                 .attrs = call->instance.attrs,
                 .weights = call->instance.input_count > weights ? call->in[weights] : NULL,
                 .rows = shape->dim[0],
                 .width = shape->dim[1],
                 .numbers = stk_labels_are_numbers(&call->instance.in[LABELS])};
}

static int64_t label_at(const job *j, int64_t row)
{
    return j->numbers
               ? stk_labels_at(&j->call->instance.in[LABELS], j->call->in[LABELS], row, j->width)
               : 0;
}

static double weight_of(const job *j, int64_t k)
{
    return j->weights ? (double)j->weights[k] : 1;
}

static const float *probabilities(const job *j, int64_t row)
{
    return (const float *)j->call->in[LABELS] + row * j->width;
}

/* Weight times smoothed target of a class. */
static double smoothed_target(const job *j, int64_t row, int64_t label, int64_t k)
{
    const double s = j->attrs->smoothing;
    const double target = j->numbers ? (double)(k == label) : (double)probabilities(j, row)[k];
    return weight_of(j, k) * (target * (1 - s) + s / (double)j->width);
}

/* Divisor of the summed loss. */
static double all_weights(const job *j)
{
    double sum = 0;
    for (int64_t row = 0; row < j->rows; row++) {
        const int64_t label = label_at(j, row);
        if (j->numbers || !j->weights) {
            sum += label < 0 ? 0 : weight_of(j, j->numbers ? label : 0);
            continue;
        }
        for (int64_t k = 0; k < j->width; k++)
            sum += (double)probabilities(j, row)[k] * weight_of(j, k);
    }
    return sum;
}

/* Only the label has a non-zero target. */
static bool is_sparse(const job *j)
{
    return j->numbers && j->attrs->smoothing == 0;
}

static const float *logits_of(const job *j, int64_t row)
{
    return (const float *)j->call->in[LOGITS] + row * j->width;
}

/* Sum over classes of f(log p) times their targets. */
static double sum_targets(const job *j, int64_t row, int64_t label, double all,
                          double (*f)(double log_p, double gamma))
{
    const float *x = logits_of(j, row);
    double       sum = 0;
    if (is_sparse(j)) return weight_of(j, label) * f((double)x[label] - all, j->attrs->gamma);
    for (int64_t k = 0; k < j->width; k++) {
        const double q = smoothed_target(j, row, label, k); /* 0 times an infinite loss is 0 */
        if (q != 0) sum += q * f((double)x[k] - all, j->attrs->gamma);
    }
    return sum;
}

static double log_sum_of(const job *j, int64_t row, float *row_max, float *sum)
{
    STK_PICK(j->cpu, log_sum)(logits_of(j, row), j->width, row_max, sum);
    return (double)*row_max + log((double)*sum);
}

static double loss_of(const job *j, int64_t row)
{
    float         row_max, sum;
    const int64_t label = label_at(j, row);
    if (label < 0) return 0;
    return sum_targets(j, row, label, log_sum_of(j, row, &row_max, &sum), stk_focal_loss);
}

static void loss_part(void *context, int part, int parts)
{
    const job *j = context;
    double    *losses = j->call->scratch;
    int64_t    begin, end;
    stk_team_share(j->rows, 1, part, parts, &begin, &end);
    for (int64_t row = begin; row < end; row++)
        losses[row] = loss_of(j, row);
}

static stk_status prepare_loss(stk_kernel_call *call, size_t *scratch, stk_error *err)
{
    (void)err;
    *scratch = (size_t)call->instance.in[LOGITS].shape.dim[0] * sizeof(double);
    return STK_OK;
}

static stk_status run_loss(const stk_kernel_call *call, stk_error *err)
{
    job           j = job_of(call, LABELS + 1);
    const double *losses = call->scratch, by = all_weights(&j);
    double        sum = 0;
    (void)err;
    stk_work(j.cpu, j.rows * j.width * 8, loss_part, &j);
    for (int64_t row = 0; row < j.rows; row++)
        sum += losses[row];
    *(float *)call->out[0] = by > 0 ? (float)(sum / by) : 0;
    return STK_OK;
}

/* dx[k] = q[k] slope[k] - p[k] sum(q slope). dx may alias x. */
static void back_row(const job *j, int64_t row, int64_t label, float *dx)
{
    const float *x = logits_of(j, row);
    float        row_max, exps;
    const double all = log_sum_of(j, row, &row_max, &exps);
    const double sum = sum_targets(j, row, label, all, stk_focal_slope);
    if (is_sparse(j)) {
        const double rest = -expm1((double)x[label] - all);
        STK_PICK(j->cpu, exp_times)
        (x, dx, j->width, row_max, (float)(-j->by * sum / (double)exps));
        dx[label] = (float)(j->by * sum * rest);
        return;
    }
    for (int64_t k = 0; k < j->width; k++) {
        const double log_p = (double)x[k] - all, q = smoothed_target(j, row, label, k);
        const double slope = q != 0 ? q * stk_focal_slope(log_p, j->attrs->gamma) : 0;
        dx[k] = (float)(j->by * (slope - exp(log_p) * sum));
    }
}

static void back_part(void *context, int part, int parts)
{
    const job *j = context;
    int64_t    begin, end;
    stk_team_share(j->rows, 1, part, parts, &begin, &end);
    for (int64_t row = begin; row < end; row++) {
        const int64_t label = label_at(j, row);
        float        *dx = (float *)j->call->out[0] + row * j->width;
        if (label >= 0)
            back_row(j, row, label, dx);
        else
            memset(dx, 0, (size_t)j->width * sizeof *dx);
    }
}

static stk_status run_back(const stk_kernel_call *call, stk_error *err)
{
    job          j = job_of(call, DLOSS + 1);
    const double all = all_weights(&j);
    (void)err;
    j.by = all > 0 ? (double)*(const float *)call->in[DLOSS] / all : 0;
    stk_work(j.cpu, j.rows * j.width * 12, back_part, &j);
    return STK_OK;
}

const stk_kernel stk_cpu_weighted_cross_entropy = {.op = &stk_graph_op_weighted_cross_entropy,
                                                   .name = "native",
                                                   .can = stk_cpu_float32,
                                                   .prepare = prepare_loss,
                                                   .run = run_loss};
const stk_kernel stk_cpu_weighted_cross_entropy_grad = {
    .op = &stk_graph_op_weighted_cross_entropy_grad,
    .name = "native",
    .can = stk_cpu_float32,
    .run = run_back};
