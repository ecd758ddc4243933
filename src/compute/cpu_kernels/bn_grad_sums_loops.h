/* Sums of dz and dz (x - mean) down the rows, for widths.h. Two rows at a time: see
 * bn_stats_loops.h. */
#include "compute/cpu_kernels/bn_grad_vec.h"

INLINE void FN(sums)(const sum_rows r, stk_act_kind kind, stk_bn_mask mask)
{
    stk_bn_tile s = r.tile, t = r.tile;
    int64_t     row = 0, stride = r.stride;
    for (; row + 2 <= r.rows; row += 2) {
        t.dy = s.dy + stride;
        t.x = s.x + stride;
        t.y = mask == STK_BN_MASK_OUTPUT ? s.y + stride : NULL;
        OVER(s.count, {
            V mean = FN(load)(s.mean + i, n);
            V xa = FN(load)(s.x + i, n), xb = FN(load)(t.x + i, n);
            V a = FN(dz_at)(s, kind, mask, i, n, xa), b = FN(dz_at)(t, kind, mask, i, n, xb);
            FN(store)(r.sum + i, n, FN(load)(r.sum + i, n) + (a + b));
            FN(store)
            (r.with_x + i, n, FN(load)(r.with_x + i, n) + (a * (xa - mean) + b * (xb - mean)));
        });
        s.dy += 2 * stride;
        s.x += 2 * stride;
        if (mask == STK_BN_MASK_OUTPUT) s.y += 2 * stride;
    }
    if (row < r.rows)
        OVER(s.count, {
            V x = FN(load)(s.x + i, n), dz = FN(dz_at)(s, kind, mask, i, n, x);
            FN(store)(r.sum + i, n, FN(load)(r.sum + i, n) + dz);
            FN(store)
            (r.with_x + i, n, FN(load)(r.with_x + i, n) + dz * (x - FN(load)(s.mean + i, n)));
        });
}

STK_BN_LOOPS(sums, sum_rows);
#undef STK_BN_LOOPS
