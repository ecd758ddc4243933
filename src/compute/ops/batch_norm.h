/* Batch norm in pieces, so that passes can fuse each where it is free. C is the last dimension, M
 * the elements per channel. Everything but x, y, dy and dx is float32 [C].
 *
 *   bn_stats(x)                              -> mean, var          (biased)
 *   bn_finalize(mean, var, gamma, beta, running_mean, running_var)
 *                                            -> scale, shift, invstd, running_mean', running_var'
 *   bn_stats_finalize(x, gamma, beta, running_mean, running_var): both in one
 *                                            -> mean, scale, shift, invstd, running_mean',
 *                                               running_var'
 *   bn_fold(gamma, beta, mean, var)          -> scale, shift       (inference)
 *   bn_apply(x, scale, shift, [residual, [residual_scale, residual_shift]])
 *                                            -> y = act(x*scale + shift + residual...), [bits]
 *   bn_grad_sums(dy, x, mean, invstd, [mask...])                       -> dgamma, dbeta
 *   bn_grad_apply(dy, x, mean, invstd, gamma, dgamma, dbeta, [mask...]) -> dx, [dz]
 *
 * With an activation the two last ones see dz = dy * slope: from y, which is then the one mask
 * input; from x*scale + shift, with scale and shift as mask inputs; or, for relu and clip, from
 * bits, which is where the slope is 1: uint8, element i is bit i % 8 of byte i / 8. dz is also what
 * flows into the residual. */
#ifndef STK_COMPUTE_OPS_BATCH_NORM_H
#define STK_COMPUTE_OPS_BATCH_NORM_H

#include "compute/ops/activation.h"

typedef struct stk_bn_finalize_attrs {
    float   epsilon, momentum;
    int64_t count; /* M; the running variance is the unbiased one */
} stk_bn_finalize_attrs;

typedef struct stk_bn_fold_attrs {
    float epsilon;
} stk_bn_fold_attrs;

typedef struct stk_bn_apply_attrs {
    stk_activation act;
} stk_bn_apply_attrs;

typedef enum stk_bn_mask {
    STK_BN_MASK_NONE,
    STK_BN_MASK_OUTPUT,
    STK_BN_MASK_INPUT,
    STK_BN_MASK_BITS
} stk_bn_mask;

typedef struct stk_bn_grad_attrs {
    stk_bn_mask    mask;
    int            unused; /* keeps the struct without padding: attributes are compared as bytes */
    stk_activation act;
} stk_bn_grad_attrs;

/* What the pieces share. Inputs first to first + count - 1 are float32 [C] with the C of input 0.
 */
stk_status stk_bn_check_channels(const stk_graph_op *op, const stk_op_instance *instance, int first,
                                 int count, stk_error *err);
/* Input which is of the type and shape of input 0. */
stk_status stk_bn_check_like_first(const stk_graph_op *op, const stk_op_instance *instance,
                                   int which, stk_error *err);
/* The inputs from first on are those that attrs->mask asks for, and no others. */
stk_status stk_bn_check_mask(const stk_graph_op *op, const stk_op_instance *instance, int first,
                             stk_error *err);
/* Mean and biased variance of channel c, whose count elements lie channels apart. */
void stk_bn_moments(const float *x, int64_t count, int64_t channels, int64_t c, float *mean,
                    float *var);

/* One channel of bn_finalize. */
typedef struct stk_bn_scaling {
    float scale, shift, invstd, running_mean, running_var;
} stk_bn_scaling;

stk_bn_scaling stk_bn_finalize_channel(const stk_bn_finalize_attrs *attrs, float mean, float var,
                                       float gamma, float beta, float running_mean,
                                       float running_var);
void           stk_bn_finalize_print(const void *attrs, char *text, size_t capacity);
/* Whether the slope of act is 0 or 1, and its output tells which. */
bool stk_bn_has_bits(const stk_activation *act);
/* The type of the bits of x. */
stk_tensor_type stk_bn_bits_of(const stk_tensor_type *x);
/* dz at element i of bn_grad_sums and bn_grad_apply, whose mask inputs are from first on. */
double stk_bn_dz(const stk_op_instance *instance, const void *const *in, int first, int64_t i);
void   stk_bn_grad_print(const void *attrs, char *text, size_t capacity);

#endif
