/* Activations as post-ops of convolutions and GEMMs. */
#include "compute/cpu/dnnl_state.h"

typedef struct row {
    const stk_activation_row *act;
    dnnl_alg_kind_t           algorithm;
    bool                      takes_a_b; /* takes a and b of the activation; else those below */
    float                     a, b;
    bool                      then_unit; /* followed by a clip to [0, 1] */
} row;

/* oneDNN 2 has no hardsigmoid, and a hardswish with fixed constants; oneDNN 3 takes them as
 * parameters. */
static const row rows[] = {
    {&stk_activation_relu, dnnl_eltwise_relu, false, 0, 0, false},
    {&stk_activation_clip, dnnl_eltwise_clip, true, 0, 0, false},
    {&stk_activation_leaky_relu, dnnl_eltwise_relu, true, 0, 0, false},
    {&stk_activation_gelu, dnnl_eltwise_gelu_erf, false, 0, 0, false},
    {&stk_activation_silu, dnnl_eltwise_swish, false, 1, 0, false},
    {&stk_activation_sigmoid, dnnl_eltwise_logistic, false, 0, 0, false},
    {&stk_activation_tanh, dnnl_eltwise_tanh, false, 0, 0, false},
    {&stk_activation_hardswish, dnnl_eltwise_hardswish, false, 1.0f / 6, 0.5f, false},
    {&stk_activation_hardsigmoid, dnnl_eltwise_linear, false, 1.0f / 6, 0.5f, true},
};

static const row *find(const stk_activation *act)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].act == act->row) return &rows[i];
    return NULL;
}

bool stk_dnnl_can_fuse(const stk_activation *act)
{
    return !act->row || find(act);
}

dnnl_status_t stk_dnnl_attr_make(dnnl_primitive_attr_t *attr, const stk_activation *act)
{
    static const stk_dnnl_eltwise unit = {dnnl_eltwise_clip, 0, 1};
    *attr = NULL;
    if (!act || !act->row) return stk_onednn_attr_create(attr, NULL, 0);
    const row *r = find(act);
    if (!r) return dnnl_unimplemented;
    const stk_dnnl_eltwise after[] = {
        {r->algorithm, r->takes_a_b ? act->a : r->a, r->takes_a_b ? act->b : r->b}, unit};
    return stk_onednn_attr_create(attr, after, r->then_unit ? 2 : 1);
}
