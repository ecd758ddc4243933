/* grad_guard: the factor of gradients (loss scale, micro-batches, clipping) and whether to skip the
 * update. With a norm input, non-finite gradients skip it. */
#include "compute/ops/graph_ops.h"
#include "compute/ops/update.h"
#include <stdio.h>

/* Keeps the inverse of a loss scale finite in float32. */
static const double scale_min = 0x1p-24;
/* As torch.nn.utils.clip_grad_norm_. */
static const double norm_epsilon = 1e-6;

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    const stk_graph_op    *op = &stk_graph_op_grad_guard;
    const stk_guard_attrs *attrs = instance->attrs;
    stk_shape              state = stk_shape_1d(STK_STATE_COUNT), norm = stk_shape_1d(2);
    for (int i = 0; i < instance->input_count; i++)
        STK_TRY(stk_update_check_f32(op, instance, i, err));
    STK_TRY(stk_op_check_shape(op, instance, 0, &state, "the state", err));
    if (instance->input_count > 1)
        STK_TRY(stk_op_check_shape(op, instance, 1, &norm, "a norm", err));
    if (instance->input_count < 2 && (attrs->max_norm > 0 || attrs->growth > 0))
        return stk_fail(err, STK_E_INVALID, op->name, instance->name,
                        "clipping to %g and growth %g of the loss scale take a norm",
                        attrs->max_norm, attrs->growth);
    if (!(attrs->multiply > 0))
        return stk_fail(err, STK_E_INVALID, op->name, instance->name,
                        "gradients are sums over %g; it must be more than 0", attrs->multiply);
    out[0] = (stk_tensor_type){STK_DTYPE_F32, stk_shape_1d(STK_GUARD_COUNT)};
    out[1] = instance->in[0];
    return STK_OK;
}

/* Grows after interval clean steps and shrinks after a bad one, as torch's GradScaler. */
static void update_scale(const stk_guard_attrs *attrs, bool skip, double *scale, double *clean)
{
    *clean = skip ? 0 : *clean + 1;
    if (!(attrs->growth > 0)) return;
    if (skip) {
        *scale = fmax(*scale * attrs->backoff, scale_min);
    } else if (*clean >= attrs->interval) {
        if (isfinite((float)(*scale * attrs->growth))) *scale *= attrs->growth;
        *clean = 0;
    }
}

/* Computed in double and rounded once. A sum of squares above FLT_MAX counts as non-finite. */
static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    const stk_guard_attrs *attrs = instance->attrs;
    const float           *state = in[0], *norm = instance->input_count > 1 ? in[1] : NULL;
    float                 *guard = out[0], *next = out[1];
    double scale = (double)state[STK_STATE_SCALE], clean = (double)state[STK_STATE_CLEAN];
    double multiply = 1 / (scale * attrs->multiply), total = 0;
    bool   skip = norm && (norm[1] != 0 || !isfinite(norm[0]));
    if (norm && !skip) total = sqrt((double)norm[0]) * multiply;
    if (attrs->max_norm > 0) multiply *= fmin(attrs->max_norm / (total + norm_epsilon), 1);
    guard[STK_GUARD_MULTIPLY] = (float)multiply;
    guard[STK_GUARD_SKIP] = skip;
    guard[STK_GUARD_STEPS] = state[STK_STATE_STEPS] + (skip ? 0.0f : 1.0f);
    guard[STK_GUARD_NORM] = (float)total;
    if (!next) return;
    update_scale(attrs, skip, &scale, &clean);
    float skipped = state[STK_STATE_SKIPPED] + (skip ? 1.0f : 0.0f);
    next[STK_STATE_SCALE] = (float)scale;
    next[STK_STATE_CLEAN] = (float)clean;
    next[STK_STATE_STEPS] = guard[STK_GUARD_STEPS];
    next[STK_STATE_SKIPPED] = skipped;
}

static void print(const void *attrs_, char *text, size_t capacity)
{
    const stk_guard_attrs *attrs = attrs_;
    snprintf(text, capacity, "over=%g max_norm=%g growth=%g backoff=%g interval=%g",
             attrs->multiply, attrs->max_norm, attrs->growth, attrs->backoff, attrs->interval);
}

const stk_graph_op stk_graph_op_grad_guard = {
    .name = "grad_guard",
    .inputs_min = 1,
    .inputs_max = 2,
    .outputs = 2,
    .attrs_size = sizeof(stk_guard_attrs),
    .inplace = {0, 1},
    .precision = STK_PRECISION_KEEP,
    .infer = infer,
    .reference = reference,
    .print = print,
};
