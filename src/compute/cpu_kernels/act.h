/* Activations on rows of floats: for activation ops and for epilogues of kernels. */
#ifndef STK_COMPUTE_CPU_KERNELS_ACT_H
#define STK_COMPUTE_CPU_KERNELS_ACT_H

#include "compute/cpu/cpu.h"
#include "compute/ops/activation.h"

typedef enum stk_act_kind {
    STK_ACT_NONE,
    STK_ACT_RELU,
    STK_ACT_CLIP,
    STK_ACT_LEAKY_RELU,
    STK_ACT_GELU,
    STK_ACT_SILU,
    STK_ACT_SIGMOID,
    STK_ACT_TANH,
    STK_ACT_HARDSWISH,
    STK_ACT_HARDSIGMOID,
    STK_ACT_KINDS
} stk_act_kind;

/* STK_ACT_KINDS for unknown activations. */
stk_act_kind stk_act_kind_of(const stk_activation *act);
/* Whether it maps 0 to 0, so that padding stays zero. */
bool stk_act_keeps_zero(const stk_activation *act);

/* y = act(x); x and y may alias. */
void stk_act_value(const stk_cpu *cpu, const stk_activation *act, const float *x, float *y,
                   int64_t count);
/* dx = dy * slope. seen is the activation's output if it is from_output, else its input. */
void stk_act_slope(const stk_cpu *cpu, const stk_activation *act, const float *dy,
                   const float *seen, float *dx, int64_t count);

#endif
