/* What both halves of batch norm's gradient share: dz = dy * slope, from the output, from the input
 * of the activation (x * scale + shift), or just dy. */
#ifndef STK_COMPUTE_CPU_KERNELS_BN_GRAD_H
#define STK_COMPUTE_CPU_KERNELS_BN_GRAD_H

#include "compute/cpu_kernels/act.h"
#include "compute/ops/batch_norm.h"

/* Elements one after the other, values per channel written out beside them. */
typedef struct stk_bn_tile {
    const float *dy, *x, *y;    /* y: mask OUTPUT */
    const float *scale, *shift; /* mask INPUT */
    const float *mean;
    int64_t      count;
    float        a, b; /* of the activation */
} stk_bn_tile;

/* Whether loops do the activation themselves; if not, they are given dz. */
static inline bool stk_bn_grad_is_cheap(const stk_bn_grad_attrs *attrs)
{
    return attrs->mask == STK_BN_MASK_NONE || stk_act_kind_of(&attrs->act) <= STK_ACT_CLIP;
}

bool stk_bn_grad_can(const stk_device *device, const stk_op_instance *instance);
/* dz of a strip whose activation is not cheap. */
void stk_bn_grad_dz(const stk_cpu *cpu, const stk_bn_grad_attrs *attrs, const stk_bn_tile *tile,
                    float *dz);

#endif
