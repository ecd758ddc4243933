/* weighted_cross_entropy: softmax cross-entropy with class weights and focal loss. Loss of a row:
 * the sum over classes k of weight[k] target[k] (1 - p[k])^gamma -log p[k]. The sum over rows is
 * divided by the sum of their labels' weights. */
#include "compute/graph/gradients.h"
#include "compute/ops/focal.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/labels.h"
#include "compute/ops/update_ops.h"
#include <stdio.h>
#include <stoker/ops.h>

/* Weights are the last input, if present. */
enum { LOGITS, LABELS, DLOSS };

static stk_status check_weights(const stk_graph_op *op, const stk_op_instance *instance, int input,
                                stk_error *err)
{
    const stk_shape classes = stk_shape_1d(instance->in[LOGITS].shape.dim[1]);
    if (instance->input_count <= input) return STK_OK;
    if (instance->in[input].dtype != STK_DTYPE_F32)
        return stk_fail(err, STK_E_TYPE, op->name, instance->name,
                        "weights are %s; they are float32",
                        stk_dtype_name(instance->in[input].dtype));
    return stk_op_check_shape(op, instance, input, &classes, "a weight for each class", err);
}

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    const stk_graph_op *op = &stk_graph_op_weighted_cross_entropy;
    STK_TRY(stk_labels_check(op, instance, err));
    STK_TRY(check_weights(op, instance, LABELS + 1, err));
    out[0] = (stk_tensor_type){STK_DTYPE_F32, stk_shape_scalar()};
    return STK_OK;
}

static stk_status infer_grad(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    const stk_graph_op *op = &stk_graph_op_weighted_cross_entropy_grad;
    STK_TRY(stk_labels_check(op, instance, err));
    STK_TRY(stk_op_check_rank(op, instance, DLOSS, 0, err));
    STK_TRY(stk_op_check_float(op, instance, DLOSS, err));
    STK_TRY(check_weights(op, instance, DLOSS + 1, err));
    out[0] = instance->in[LOGITS];
    return STK_OK;
}

/* Labels and weights get no gradient. */
static void grad(stk_graph *g, const stk_graph_node *node, const stk_symbol *dout, stk_symbol *din,
                 stk_grad_sink *sink)
{
    stk_symbol in[] = {node->in[LOGITS], node->in[LABELS], dout[0], STK_NO_SYMBOL};
    (void)sink;
    if (node->input_count > 2) in[3] = node->in[2];
    stk_graph_add(g, &stk_graph_op_weighted_cross_entropy_grad, in, node->input_count + 1,
                  node->attrs, &din[LOGITS], 1);
}

static stk_op_cost cost(const stk_op_instance *instance)
{
    return stk_op_cost_of_input(instance, 8);
}

/* Inputs and sizes, shared by the row functions. */
typedef struct rows {
    const stk_op_instance            *instance;
    const stk_weighted_entropy_attrs *attrs;
    const float                      *logits, *weights; /* weights NULL: all 1 */
    const void                       *labels;
    int64_t                           count, classes;
    bool                              numbers;
} rows;

static rows rows_of(const stk_op_instance *instance, const void *const *in, int weights)
{
    const stk_shape *shape = &instance->in[LOGITS].shape;
    return (rows){instance,      instance->attrs,
                  in[LOGITS],    instance->input_count > weights ? in[weights] : NULL,
                  in[LABELS],    shape->dim[0],
                  shape->dim[1], stk_labels_are_numbers(&instance->in[LABELS])};
}

static int64_t label_of(const rows *r, int64_t row)
{
    return stk_labels_at(&r->instance->in[LABELS], r->labels, row, r->classes);
}

static double target(const rows *r, int64_t row, int64_t label, int64_t k)
{
    return r->numbers ? (double)(k == label)
                      : (double)((const float *)r->labels)[row * r->classes + k];
}

static double weight_of(const rows *r, int64_t k)
{
    return r->weights ? (double)r->weights[k] : 1;
}

/* Weight times smoothed target of a class. */
static double smoothed_target(const rows *r, int64_t row, int64_t label, int64_t k)
{
    const double s = r->attrs->smoothing;
    return weight_of(r, k) * (target(r, row, label, k) * (1 - s) + s / (double)r->classes);
}

/* Divisor of the summed loss. */
static double all_weights(const rows *r)
{
    double sum = 0;
    for (int64_t row = 0; row < r->count; row++) {
        const int64_t label = label_of(r, row);
        if (label < 0) continue;
        if (!r->weights) sum++;
        for (int64_t k = 0; r->weights && k < r->classes; k++)
            sum += target(r, row, label, k) * weight_of(r, k);
    }
    return sum;
}

static double log_sum(const float *x, int64_t count)
{
    double max = (double)x[0], sum = 0;
    for (int64_t k = 1; k < count; k++)
        if ((double)x[k] > max) max = (double)x[k];
    for (int64_t k = 0; k < count; k++)
        sum += exp((double)x[k] - max);
    return max + log(sum);
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    const rows   r = rows_of(instance, in, LABELS + 1);
    const double by = all_weights(&r);
    double       sum = 0;
    for (int64_t row = 0; row < r.count; row++) {
        const float  *x = r.logits + row * r.classes;
        const int64_t label = label_of(&r, row);
        const double  all = log_sum(x, r.classes);
        for (int64_t k = 0; k < r.classes && label >= 0; k++) {
            const double q = smoothed_target(&r, row, label, k); /* 0 times an infinite loss is 0 */
            if (q != 0) sum += q * stk_focal_loss((double)x[k] - all, r.attrs->gamma);
        }
    }
    *(float *)out[0] = by > 0 ? (float)(sum / by) : 0;
}

/* dlogits[j] = q[j] slope[j] - p[j] sum(q slope). */
static void row_grad(const rows *r, int64_t row, int64_t label, double by, float *dx)
{
    const float *x = r->logits + row * r->classes;
    const double all = log_sum(x, r->classes);
    double       sum = 0;
    for (int64_t k = 0; k < r->classes; k++) {
        const double q = smoothed_target(r, row, label, k);
        if (q != 0) sum += q * stk_focal_slope((double)x[k] - all, r->attrs->gamma);
    }
    for (int64_t k = 0; k < r->classes; k++) {
        const double q = smoothed_target(r, row, label, k), log_p = (double)x[k] - all;
        const double slope = q != 0 ? q * stk_focal_slope(log_p, r->attrs->gamma) : 0;
        dx[k] = (float)(by * (slope - exp(log_p) * sum));
    }
}

static void reference_grad(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    const rows   r = rows_of(instance, in, DLOSS + 1);
    const double all = all_weights(&r);
    const double by = all > 0 ? (double)*(const float *)in[DLOSS] / all : 0;
    for (int64_t row = 0; row < r.count; row++) {
        float        *dx = (float *)out[0] + row * r.classes;
        const int64_t label = label_of(&r, row);
        for (int64_t k = 0; k < r.classes && label < 0; k++)
            dx[k] = 0;
        if (label >= 0) row_grad(&r, row, label, by, dx);
    }
}

static void print(const void *attrs, char *text, size_t capacity)
{
    const stk_weighted_entropy_attrs *a = attrs;
    snprintf(text, capacity, "smoothing=%g gamma=%g", a->smoothing, a->gamma);
}

const stk_graph_op stk_graph_op_weighted_cross_entropy = {
    .name = "weighted_cross_entropy",
    .inputs_min = 2,
    .inputs_max = 3,
    .outputs = 1,
    .attrs_size = sizeof(stk_weighted_entropy_attrs),
    .precision = STK_PRECISION_KEEP,
    .infer = infer,
    .grad = grad,
    .cost = cost,
    .reference = reference,
    .print = print,
};

const stk_graph_op stk_graph_op_weighted_cross_entropy_grad = {
    .name = "weighted_cross_entropy_grad",
    .inputs_min = 3,
    .inputs_max = 4,
    .outputs = 1,
    .attrs_size = sizeof(stk_weighted_entropy_attrs),
    .inplace = {LOGITS + 1},
    .precision = STK_PRECISION_KEEP,
    .infer = infer_grad,
    .cost = cost,
    .reference = reference_grad,
    .print = print,
};

stk_symbol stk_weighted_cross_entropy(stk_graph *g, stk_symbol logits, stk_symbol labels,
                                      const stk_weighted_entropy_options *options)
{
    const stk_symbol                 in[] = {logits, labels, options->weights};
    const stk_weighted_entropy_attrs attrs = {options->smoothing, options->gamma};
    stk_symbol                       loss = STK_NO_SYMBOL;
    if (!(attrs.smoothing >= 0 && attrs.smoothing <= 1))
        return stk_graph_fail(g, STK_E_INVALID, "weighted_cross_entropy", g->path,
                              "a smoothing of %g; it must be from 0 to 1", attrs.smoothing);
    if (!(attrs.gamma >= 0 && attrs.gamma <= 100))
        return stk_graph_fail(g, STK_E_INVALID, "weighted_cross_entropy", g->path,
                              "a gamma of %g; it must be from 0 to 100", attrs.gamma);
    stk_graph_add(g, &stk_graph_op_weighted_cross_entropy, in,
                  stk_symbol_is_none(options->weights) ? 2 : 3, &attrs, &loss, 1);
    return loss;
}
