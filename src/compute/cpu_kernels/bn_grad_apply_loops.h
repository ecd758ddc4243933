/* Loops of bn_grad_apply, for widths.h. */
#include "compute/cpu_kernels/bn_grad_vec.h"

INLINE void FN(apply)(const apply_tile s, stk_act_kind kind, stk_bn_mask mask)
{
    OVER(s.tile.count, {
        V x = FN(load)(s.tile.x + i, n), dz = FN(dz_at)(s.tile, kind, mask, i, n, x);
        V off = x - FN(load)(s.tile.mean + i, n);
        if (s.dz) FN(put)(s.dz + i, n, dz, s.stream_dz);
        V dx = dz * FN(load)(s.by + i, n) + off * FN(load)(s.by_x + i, n) +
               FN(load)(s.constant + i, n);
        FN(put)(s.dx + i, n, dx, s.stream_dx);
    });
}

STK_BN_LOOPS(apply, apply_tile);
#undef STK_BN_LOOPS
