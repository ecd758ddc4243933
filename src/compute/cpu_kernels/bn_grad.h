/* Shared by both halves of batch norm's gradient: dz = dy * slope, masked by the output, by the
 * activation's input (x * scale + shift), or not at all. */
#ifndef STK_COMPUTE_CPU_KERNELS_BN_GRAD_H
#define STK_COMPUTE_CPU_KERNELS_BN_GRAD_H

#include "compute/cpu_kernels/act.h"
#include "compute/ops/batch_norm.h"

/* Consecutive elements with values per channel expanded to match. */
typedef struct stk_bn_tile {
    const float *dy, *x, *y;    /* y: mask OUTPUT */
    const float *scale, *shift; /* mask INPUT */
    const float *mean;
    int64_t      count;
    float        a, b; /* parameters of the activation */
} stk_bn_tile;

/* Whether loops apply the slope themselves; else they receive dz. */
static inline bool stk_bn_grad_is_cheap(const stk_bn_grad_attrs *attrs)
{
    return attrs->mask == STK_BN_MASK_NONE || stk_act_kind_of(&attrs->act) <= STK_ACT_CLIP;
}

bool stk_bn_grad_can(const stk_device *device, const stk_op_instance *instance);
/* dz of a tile whose activation is expensive. */
void stk_bn_grad_dz(const stk_cpu *cpu, const stk_bn_grad_attrs *attrs, const stk_bn_tile *tile,
                    float *dz);

#endif
