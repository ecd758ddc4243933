/* Shared by both halves of batch norm's gradient. */
#include "compute/cpu_kernels/bn_grad.h"
#include "compute/cpu_kernels/channel_tiling.h"

#define STK_LOOPS "compute/cpu_kernels/bn_grad_loops.h"
#include "compute/cpu_kernels/widths.h"

bool stk_bn_grad_can(const stk_device *device, const stk_op_instance *instance)
{
    const stk_bn_grad_attrs *attrs = instance->attrs;
    return stk_cpu_float32(device, instance) && stk_act_kind_of(&attrs->act) != STK_ACT_KINDS;
}

void stk_bn_grad_dz(const stk_cpu *cpu, const stk_bn_grad_attrs *attrs, const stk_bn_tile *tile,
                    float *dz)
{
    const float *seen = tile->y;
    if (attrs->mask == STK_BN_MASK_INPUT) {
        STK_PICK(cpu, affine)(tile, dz);
        if (attrs->act.row->from_output) stk_act_value(cpu, &attrs->act, dz, dz, tile->count);
        seen = dz;
    }
    stk_act_slope(cpu, &attrs->act, tile->dy, seen, dz, tile->count);
}
