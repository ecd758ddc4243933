/* lamb: adamw's direction with weight decay, scaled by the trust ratio of each tensor */
#include "compute/ops/graph_ops.h"
#include "compute/ops/update.h"

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    return stk_update_infer(&stk_graph_op_lamb, instance, out, err);
}

static stk_op_cost cost(const stk_op_instance *instance)
{
    return stk_update_cost(instance, 20);
}

/* Recomputes the direction from the new moments instead of storing it. */
static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    stk_update   u = stk_update_read(instance->attrs, in[4], in[5]);
    const float *w = in[0], *g = in[1], *m = in[2], *v = in[3];
    float       *to_w = out[0], *to_m = out[1], *to_v = out[2];
    int64_t      count = stk_type_elements(&instance->in[0]);
    double       squares = 0;
    if (u.skip) {
        stk_update_copy_inputs(&stk_graph_op_lamb, instance, in, out);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        float next_m = m[i], next_v = v[i];
        stk_adam_moments(&u, g[i], &next_m, &next_v);
        double direction = (double)stk_lamb_direction(&u, w[i], next_m, next_v);
        squares += direction * direction;
        to_m[i] = next_m;
        to_v[i] = next_v;
    }
    float trust = stk_lamb_trust(instance->attrs, stk_update_squares(w, count, 1), squares);
    float rate = u.rate * trust;
    for (int64_t i = 0; i < count; i++)
        to_w[i] = w[i] - rate * stk_lamb_direction(&u, w[i], to_m[i], to_v[i]);
}

const stk_graph_op stk_graph_op_lamb = {
    .name = "lamb",
    .inputs_min = 6,
    .inputs_max = 6,
    .outputs = 3,
    .attrs_size = sizeof(stk_optimizer_attrs),
    .inplace = {1, 3, 4},
    .precision = STK_PRECISION_KEEP,
    .reads_half = stk_update_reads_half,
    .infer = infer,
    .cost = cost,
    .reference = reference,
    .print = stk_update_print,
};
