/* sgd: gradient descent with momentum, plain or Nesterov, and coupled weight decay */
#include "compute/ops/graph_ops.h"
#include "compute/ops/update.h"

static stk_status infer(const stk_op_instance *instance, stk_tensor_type *out, stk_error *err)
{
    return stk_update_infer(&stk_graph_op_sgd, instance, out, err);
}

static stk_op_cost cost(const stk_op_instance *instance)
{
    return stk_update_cost(instance, 7);
}

static void reference(const stk_op_instance *instance, const void *const *in, void *const *out)
{
    stk_update   u = stk_update_read(instance->attrs, in[3], in[4]);
    const float *w = in[0], *g = in[1], *m = in[2];
    float       *to_w = out[0], *to_m = out[1];
    int64_t      count = stk_type_elements(&instance->in[0]);
    if (u.skip) {
        stk_update_copy_inputs(&stk_graph_op_sgd, instance, in, out);
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        float next_w = w[i], next_m = m[i];
        stk_sgd_element(&u, 1, g[i], &next_w, &next_m);
        to_w[i] = next_w;
        to_m[i] = next_m;
    }
}

const stk_graph_op stk_graph_op_sgd = {
    .name = "sgd",
    .inputs_min = 5,
    .inputs_max = 5,
    .outputs = 2,
    .attrs_size = sizeof(stk_optimizer_attrs),
    .inplace = {1, 3},
    .precision = STK_PRECISION_KEEP,
    .reads_half = stk_update_reads_half,
    .infer = infer,
    .cost = cost,
    .reference = reference,
    .print = stk_update_print,
};
