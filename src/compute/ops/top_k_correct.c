/* top_k_correct: number of rows whose label is among the k largest logits */
#include "compute/ops/graph_ops.h"
#include "compute/ops/labels.h"
#include "compute/ops/update_ops.h"
#include <stdio.h>
#include <stoker/ops.h>

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    const stk_top_k_attrs *attrs = instance->attrs;
    STK_TRY(stk_labels_check(&stk_graph_op_top_k_correct, instance, err));
    int64_t classes = instance->in[0].shape.dim[1];
    if (attrs->k < 1 || attrs->k > classes)
        return stk_fail(err, STK_E_INVALID, "top_k_correct", instance->name,
                        "k is %d; with %lld classes it must be from 1 to %lld", attrs->k,
                        (long long)classes, (long long)classes);
    out[0] = (stk_tensor_type){STK_DTYPE_F32, stk_shape_scalar()};
    return STK_OK;
}

static stk_op_cost cost(const stk_op_instance *instance)
{
    return stk_op_cost_of_input(instance, 1);
}

/* Rank of the label among the logits, 0 for the largest. The first of equal logits ranks higher,
 * and NaN ranks highest, so that a diverged model scores nothing. */
static int64_t rank_of(const float *x, int64_t classes, int64_t label)
{
    int64_t before = 0;
    for (int64_t k = 0; k < classes; k++) {
        bool less = x[k] < x[label] || (x[k] == x[label] && k >= label);
        before += k != label && !less;
    }
    return before;
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    const stk_top_k_attrs *attrs = instance->attrs;
    int64_t rows = instance->in[0].shape.dim[0], classes = instance->in[0].shape.dim[1],
            correct = 0;
    for (int64_t row = 0; row < rows; row++) {
        const float *x = (const float *)in[0] + row * classes;
        int64_t      label = stk_labels_at(&instance->in[1], in[1], row, classes);
        correct += label >= 0 && rank_of(x, classes, label) < attrs->k;
    }
    *(float *)out[0] = (float)correct;
}

static void print(const void *attrs, char *text, size_t capacity)
{
    snprintf(text, capacity, "k=%d", ((const stk_top_k_attrs *)attrs)->k);
}

const stk_graph_op stk_graph_op_top_k_correct = {
    .name = "top_k_correct",
    .inputs_min = 2,
    .inputs_max = 2,
    .outputs = 1,
    .attrs_size = sizeof(stk_top_k_attrs),
    .precision = STK_PRECISION_KEEP,
    .infer = infer,
    .cost = cost,
    .reference = reference,
    .print = print,
};

stk_symbol stk_top_k_correct(stk_graph *g, stk_symbol logits, stk_symbol labels, int k)
{
    return stk_graph_add2(g, &stk_graph_op_top_k_correct, logits, labels, &(stk_top_k_attrs){k});
}
