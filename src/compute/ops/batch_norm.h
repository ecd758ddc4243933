/* Batch norm in pieces that passes can fuse separately. C is the last dimension, M the number of
 * elements per channel. All tensors but x, y, dy and dx are float32 [C].
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
 * With an activation the last two compute dz = dy * slope. The slope comes from one of three masks:
 * y; or x*scale + shift, with inputs scale and shift; or, for relu and clip, bits. bits is uint8;
 * bit i % 8 of byte i / 8 is 1 where the slope of element i is 1. dz is also the gradient of the
 * residual. */
#ifndef STK_COMPUTE_OPS_BATCH_NORM_H
#define STK_COMPUTE_OPS_BATCH_NORM_H

#include "compute/ops/activation.h"

typedef struct stk_bn_finalize_attrs {
    float   epsilon, momentum;
    int64_t count; /* M; the running variance is unbiased */
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
    int            unused; /* fills padding: attributes are compared as bytes */
    stk_activation act;
} stk_bn_grad_attrs;

/* Shared checks. Inputs first to first + count - 1 are float32 [C], C being that of input 0. */
stk_status stk_bn_check_channels(const stk_graph_op *op, const stk_op_instance *instance, int first,
                                 int count, stk_error *err);
/* Input which has the type and shape of input 0. */
stk_status stk_bn_check_like_first(const stk_graph_op *op, const stk_op_instance *instance,
                                   int which, stk_error *err);
/* The inputs from first on are exactly those that attrs->mask needs. */
stk_status stk_bn_check_mask(const stk_graph_op *op, const stk_op_instance *instance, int first,
                             stk_error *err);
/* Mean and biased variance of channel c over count elements with stride channels. */
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
/* Whether the slope of act is 0 or 1 and follows from its output. */
bool stk_bn_has_bits(const stk_activation *act);
/* Type of the bits of x. */
stk_tensor_type stk_bn_bits_of(const stk_tensor_type *x);
/* dz at element i of bn_grad_sums and bn_grad_apply; their mask inputs start at first. */
double stk_bn_dz(const stk_op_instance *instance, const void *const *in, int first, int64_t i);
void   stk_bn_grad_print(const void *attrs, char *text, size_t capacity);

#endif
