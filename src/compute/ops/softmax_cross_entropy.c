/* softmax_cross_entropy: mean over rows of -log softmax of the label */
#include "compute/graph/gradients.h"
#include "compute/ops/graph_ops.h"
#include "compute/ops/labels.h"
#include "compute/ops/update_ops.h"
#include <math.h>
#include <stdio.h>
#include <stoker/ops.h>

enum { LOGITS, LABELS, DLOSS };

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    STK_TRY(stk_labels_check(&stk_graph_op_softmax_cross_entropy, instance, err));
    out[0] = (stk_tensor_type){STK_DTYPE_F32, stk_shape_scalar()};
    return STK_OK;
}

static stk_status infer_grad(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    const stk_graph_op *op = &stk_graph_op_softmax_cross_entropy_grad;
    STK_TRY(stk_labels_check(op, instance, err));
    STK_TRY(stk_op_check_rank(op, instance, DLOSS, 0, err));
    STK_TRY(stk_op_check_float(op, instance, DLOSS, err));
    out[0] = instance->in[LOGITS];
    return STK_OK;
}

/* Labels get no gradient. */
static void grad(stk_graph *g, const stk_graph_node *node, const stk_symbol *dout, stk_symbol *din,
                 stk_grad_sink *sink)
{
    (void)sink;
    din[LOGITS] = stk_graph_add3(g, &stk_graph_op_softmax_cross_entropy_grad, node->in[LOGITS],
                                 node->in[LABELS], dout[0], node->attrs);
}

static stk_op_cost cost(const stk_op_instance *instance)
{
    return stk_op_cost_of_input(instance, 5);
}

/* Target probability of class k of a row, after smoothing. label is the row's class index; ignored
 * for probabilities. */
static double target(const stk_op_instance *instance, const void *const *in, int64_t row,
                     int64_t label, int64_t k)
{
    const stk_cross_entropy_attrs *attrs = instance->attrs;
    int64_t                        classes = instance->in[LOGITS].shape.dim[1];
    double                         truth = stk_labels_are_numbers(&instance->in[LABELS])
                                               ? (double)(k == label)
                                               : (double)((const float *)in[LABELS])[row * classes + k];
    return truth * (1 - attrs->smoothing) + attrs->smoothing / (double)classes;
}

/* log of the sum of exp, shifted by the maximum so that exp cannot overflow. */
static double log_sum(const float *x, int64_t count)
{
    double max = (double)x[0], sum = 0;
    for (int64_t k = 1; k < count; k++)
        if ((double)x[k] > max) max = (double)x[k];
    for (int64_t k = 0; k < count; k++)
        sum += exp((double)x[k] - max);
    return max + log(sum);
}

static int64_t label_of(const stk_op_instance *instance, const void *const *in, int64_t row)
{
    return stk_labels_at(&instance->in[LABELS], in[LABELS], row, instance->in[LOGITS].shape.dim[1]);
}

static int64_t count_rows(const stk_op_instance *instance, const void *const *in)
{
    int64_t count = 0;
    for (int64_t row = 0; row < instance->in[LOGITS].shape.dim[0]; row++)
        count += label_of(instance, in, row) >= 0;
    return count;
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    int64_t rows = instance->in[LOGITS].shape.dim[0], classes = instance->in[LOGITS].shape.dim[1];
    int64_t valid = count_rows(instance, in);
    double  sum = 0;
    for (int64_t row = 0; row < rows; row++) {
        const float *x = (const float *)in[LOGITS] + row * classes;
        int64_t      label = label_of(instance, in, row);
        double       all = log_sum(x, classes);
        for (int64_t k = 0; k < classes && label >= 0; k++) {
            double t = target(instance, in, row, label, k);
            if (t != 0) sum += t * (all - (double)x[k]); /* 0 times an infinite loss is 0 */
        }
    }
    *(float *)out[0] = valid ? (float)(sum / (double)valid) : 0;
}

/* dlogits = dloss / rows * (softmax * sum(target) - target). */
static void reference_grad(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    int64_t rows = instance->in[LOGITS].shape.dim[0], classes = instance->in[LOGITS].shape.dim[1];
    int64_t valid = count_rows(instance, in);
    double  by = valid ? (double)*(const float *)in[DLOSS] / (double)valid : 0;
    for (int64_t row = 0; row < rows; row++) {
        const float *x = (const float *)in[LOGITS] + row * classes;
        float       *dx = (float *)out[0] + row * classes;
        int64_t      label = label_of(instance, in, row);
        double       all = log_sum(x, classes), weight = 0;
        for (int64_t k = 0; k < classes; k++)
            weight += target(instance, in, row, label, k);
        for (int64_t k = 0; k < classes; k++) {
            double p = exp((double)x[k] - all);
            dx[k] =
                label < 0 ? 0 : (float)(by * (p * weight - target(instance, in, row, label, k)));
        }
    }
}

static void print(const void *attrs, char *text, size_t capacity)
{
    double smoothing = ((const stk_cross_entropy_attrs *)attrs)->smoothing;
    if (smoothing != 0) snprintf(text, capacity, "smoothing=%g", smoothing);
}

const stk_graph_op stk_graph_op_softmax_cross_entropy = {
    .name = "softmax_cross_entropy",
    .inputs_min = 2,
    .inputs_max = 2,
    .outputs = 1,
    .attrs_size = sizeof(stk_cross_entropy_attrs),
    .precision = STK_PRECISION_KEEP,
    .infer = infer,
    .grad = grad,
    .cost = cost,
    .reference = reference,
    .print = print,
};

const stk_graph_op stk_graph_op_softmax_cross_entropy_grad = {
    .name = "softmax_cross_entropy_grad",
    .inputs_min = 3,
    .inputs_max = 3,
    .outputs = 1,
    .attrs_size = sizeof(stk_cross_entropy_attrs),
    .inplace = {LOGITS + 1},
    .precision = STK_PRECISION_KEEP,
    .infer = infer_grad,
    .cost = cost,
    .reference = reference_grad,
    .print = print,
};

stk_symbol stk_softmax_cross_entropy(stk_graph *g, stk_symbol logits, stk_symbol labels,
                                     double smoothing)
{
    if (!(smoothing >= 0 && smoothing <= 1))
        return stk_graph_fail(g, STK_E_INVALID, "softmax_cross_entropy", g->path,
                              "a smoothing of %g; it must be from 0 to 1", smoothing);
    return stk_graph_add2(g, &stk_graph_op_softmax_cross_entropy, logits, labels,
                          &(stk_cross_entropy_attrs){smoothing});
}
