/* Shared by optimizer ops. Values equal for all elements are computed once in double and rounded to
 * float. Elementwise formulas are float32 with each operation rounded. Kernels that match the
 * reference bit for bit use both. */
#ifndef STK_COMPUTE_OPS_UPDATE_H
#define STK_COMPUTE_OPS_UPDATE_H

#include "compute/ops/update_ops.h"
#include <math.h>

/* Coefficients of one update of one parameter. */
typedef struct stk_update {
    bool  skip;               /* change nothing; the other fields are not set */
    float multiply;           /* of gradients */
    float rate;               /* of this parameter */
    float momentum, decay;    /* sgd, lars; decay also lamb */
    bool  nesterov;           /* sgd, lars */
    float keep;               /* adamw: factor of w, 1 - rate * weight_decay */
    float beta1, beta2;       /* adamw, lamb; also the fields below */
    float weight1, weight2;   /* 1 - beta */
    float correct1, correct2; /* 1 - beta1^step; sqrt(1 - beta2^step) */
    float step;               /* adamw: rate / correct1 */
    float epsilon;
} stk_update;

stk_update stk_update_read(const stk_optimizer_attrs *attrs, const float *hyper,
                           const float *guard);

/* Inputs: w, g, the slots, hyper, guard. Outputs: w, the slots. g may be 16-bit. */
stk_status stk_update_infer(const stk_graph_op *op, const stk_op_instance *instance,
                            stk_tensor_type *out, stk_error *err);
stk_status stk_update_check_f32(const stk_graph_op *op, const stk_op_instance *instance, int which,
                                stk_error *err);
/* For reads_half: the gradient, input 1. */
bool        stk_update_reads_half(const stk_op_instance *instance, int input);
stk_op_cost stk_update_cost(const stk_op_instance *instance, double flops_per_element);
void        stk_update_print(const void *attrs, char *text, size_t capacity);
/* Copies in-place inputs to their outputs. */
void stk_update_copy_inputs(const stk_graph_op *op, const stk_op_instance *instance,
                            const void *const *in, void *const *out);
/* Sum of squares of x * multiply. */
double stk_update_squares(const float *x, int64_t count, float multiply);
/* Trust ratios. lars: eta |w| / (|g| + decay |w| + epsilon); lamb: |w| / |update|. 1 if either norm
 * is 0. */
float stk_lars_trust(const stk_optimizer_attrs *attrs, double w_squares, double g_squares);
float stk_lamb_trust(const stk_optimizer_attrs *attrs, double w_squares, double update_squares);

/* g = trust (g multiply + decay w); m = momentum m + g; w -= rate (m, or g + momentum m) */
static inline void stk_sgd_element(const stk_update *u, float trust, float g, float *w, float *m)
{
    g = trust * (g * u->multiply + u->decay * *w);
    *m = u->momentum * *m + g;
    *w -= u->rate * (u->nesterov ? g + u->momentum * *m : *m);
}

/* Interpolates from a to b, exact at both ends, as torch.lerp. */
static inline float stk_lerp(float a, float b, float weight, float rest)
{
    return weight < 0.5f ? a + weight * (b - a) : b - (b - a) * rest;
}

/* m = lerp(m, g); v = beta2 v + weight2 g g, with g times multiply */
static inline void stk_adam_moments(const stk_update *u, float g, float *m, float *v)
{
    g *= u->multiply;
    *m = stk_lerp(*m, g, u->weight1, u->beta1);
    *v = *v * u->beta2 + u->weight2 * g * g;
}

static inline float stk_adam_denominator(const stk_update *u, float v)
{
    return sqrtf(v) / u->correct2 + u->epsilon;
}

/* w = keep w - step m / denominator */
static inline void stk_adamw_element(const stk_update *u, float g, float *w, float *m, float *v)
{
    stk_adam_moments(u, g, m, v);
    *w = *w * u->keep - u->step * *m / stk_adam_denominator(u, *v);
}

/* lamb's direction, without rate and trust ratio. */
static inline float stk_lamb_direction(const stk_update *u, float w, float m, float v)
{
    return m / u->correct1 / stk_adam_denominator(u, v) + u->decay * w;
}

#endif
