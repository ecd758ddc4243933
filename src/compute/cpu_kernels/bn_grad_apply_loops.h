/* Strips of bn_grad_apply, for widths.h. */
#include "compute/cpu_kernels/bn_grad_vec.h"

INLINE void FN(apply)(const apply_strip s, stk_act_kind kind, stk_bn_mask mask)
{
    OVER(s.strip.count, {
        V x = FN(load)(s.strip.x + i, n), dz = FN(dz_at)(s.strip, kind, mask, i, n, x);
        V off = x - FN(load)(s.strip.mean + i, n);
        if (s.dz) FN(put)(s.dz + i, n, dz, s.stream_dz);
        V dx = dz * FN(load)(s.by + i, n) + off * FN(load)(s.by_x + i, n) + FN(load)(s.plus + i, n);
        FN(put)(s.dx + i, n, dx, s.stream_dx);
    });
}

STK_BN_LOOPS(apply, apply_strip);
#undef STK_BN_LOOPS
