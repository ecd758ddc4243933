/* dz of W elements at i of a stk_bn_tile; kind and mask are constants. Included like vec.h. */
#include "compute/cpu_kernels/act_vec.h"

INLINE V FN(dz_at)(const stk_bn_tile s, stk_act_kind kind, stk_bn_mask mask, int64_t i, int64_t n,
                   V x)
{
    V dy = FN(load)(s.dy + i, n), seen = x;
    if (mask == STK_BN_MASK_NONE) return dy;
    if (mask == STK_BN_MASK_OUTPUT)
        seen = FN(load)(s.y + i, n);
    else
        seen = x * FN(load)(s.scale + i, n) + FN(load)(s.shift + i, n);
    return FN(act_back)(kind, dy, seen, FN(all)(s.a), FN(all)(s.b));
}

/* Defines a loop for every mask and cheap activation, and a table of them. Arguments are passed by
 * value: see bn_apply_loops.h. */
#define STK_BN_LOOPS(name, type)                                                                   \
    TARGET static void FN(name##_none)(const type *s)                                              \
    {                                                                                              \
        FN(name)(*s, STK_ACT_NONE, STK_BN_MASK_NONE);                                              \
    }                                                                                              \
    TARGET static void FN(name##_relu_output)(const type *s)                                       \
    {                                                                                              \
        FN(name)(*s, STK_ACT_RELU, STK_BN_MASK_OUTPUT);                                            \
    }                                                                                              \
    TARGET static void FN(name##_relu_input)(const type *s)                                        \
    {                                                                                              \
        FN(name)(*s, STK_ACT_RELU, STK_BN_MASK_INPUT);                                             \
    }                                                                                              \
    TARGET static void FN(name##_clip_output)(const type *s)                                       \
    {                                                                                              \
        FN(name)(*s, STK_ACT_CLIP, STK_BN_MASK_OUTPUT);                                            \
    }                                                                                              \
    TARGET static void FN(name##_clip_input)(const type *s)                                        \
    {                                                                                              \
        FN(name)(*s, STK_ACT_CLIP, STK_BN_MASK_INPUT);                                             \
    }                                                                                              \
    static void (*const FN(name##_loops)[STK_BN_MASK_INPUT + 1][STK_ACT_CLIP + 1])(                \
        const type *s) = {{FN(name##_none), FN(name##_none), FN(name##_none)},                     \
                          {FN(name##_none), FN(name##_relu_output), FN(name##_clip_output)},       \
                          {FN(name##_none), FN(name##_relu_input), FN(name##_clip_input)}}
