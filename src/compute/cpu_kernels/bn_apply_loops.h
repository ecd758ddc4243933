/* Loops of bn_apply, for widths.h: one per number of residual inputs and cheap activation. Tiles
 * are passed by value: otherwise the compiler must assume that stores change the struct and reload
 * every address. */
#include "compute/cpu_kernels/act_vec.h"

INLINE void FN(apply)(const apply_tile s, int residual, stk_act_kind kind)
{
    V a = FN(all)(s.a), b = FN(all)(s.b);
    OVER(s.count, {
        V y = FN(load)(s.x + i, n) * FN(load)(s.scale + i, n) + FN(load)(s.shift + i, n);
        if (residual == 1) y += FN(load)(s.r + i, n);
        if (residual == 2)
            y += FN(load)(s.r + i, n) * FN(load)(s.r_scale + i, n) + FN(load)(s.r_shift + i, n);
        FN(put)(s.y + i, n, FN(act)(kind, y, a, b), s.stream);
    });
}

#define TILES(id, residual)                                                                        \
    TARGET static void FN(id##_none)(const apply_tile *s)                                          \
    {                                                                                              \
        FN(apply)(*s, residual, STK_ACT_NONE);                                                     \
    }                                                                                              \
    TARGET static void FN(id##_relu)(const apply_tile *s)                                          \
    {                                                                                              \
        FN(apply)(*s, residual, STK_ACT_RELU);                                                     \
    }                                                                                              \
    TARGET static void FN(id##_clip)(const apply_tile *s)                                          \
    {                                                                                              \
        FN(apply)(*s, residual, STK_ACT_CLIP);                                                     \
    }

TILES(alone, 0)
TILES(residual, 1)
TILES(dual, 2)
#undef TILES

static const apply_loop FN(apply_loops)[3][STK_ACT_CLIP + 1] = {
    {FN(alone_none), FN(alone_relu), FN(alone_clip)},
    {FN(residual_none), FN(residual_relu), FN(residual_clip)},
    {FN(dual_none), FN(dual_relu), FN(dual_clip)}};
