/* Pointwise ops on several pixels of a thread. */
#ifndef STK_COMPUTE_CUDA_KERNELS_EDIT_PAINT_CUH
#define STK_COMPUTE_CUDA_KERNELS_EDIT_PAINT_CUH

#include "compute/cuda_kernels/edit_levels.cuh"

namespace stk
{

/* The part of an op that does not depend on the pixel. */
struct edit_paint {
    int32_t     kind; /* STK_EDIT_END: identity */
    float       amount, other;
    int32_t     box[4]; /* of erase, like its colour */
    edit_levels colour;
};

struct edit_group {
    int32_t     x[EDIT_GROUP], y[EDIT_GROUP];
    edit_levels pixel[EDIT_GROUP];
};

/* The mean of a contrast op, its other parameter, is set later. */
__device__ __forceinline__ edit_paint paint_of(const stk_edit_op &step, int32_t channels)
{
    edit_paint p = {};
    const bool colours =
        step.kind == STK_EDIT_SATURATION || step.kind == STK_EDIT_GREY || step.kind == STK_EDIT_HUE;
    p.kind = colours && channels == 1 ? STK_EDIT_END : step.kind;
    p.amount = step.number[0];
    if (p.kind == STK_EDIT_HUE) {
        const double turn = stk_edit_times_exact((double)step.number[0], 255);
        p.amount = (float)((turn > -256 && turn < 256 ? (int32_t)turn : 0) & 255);
    } else if (p.kind == STK_EDIT_SOLARIZE) {
        p.amount = (float)step.word[0] * LEVEL;
    } else if (p.kind == STK_EDIT_POSTERIZE) {
        p.other = (float)(256 >> stk_edit_max(0, stk_edit_min(step.word[0], 8)));
        p.amount = 1 / p.other;
    } else if (p.kind == STK_EDIT_ERASE) {
        for (int i = 0; i < 4; i++)
            p.box[i] = step.word[i];
        p.colour = levels_of((uint32_t)step.word[4]);
    }
    return p;
}

template <typename F> __device__ __forceinline__ void each_level(edit_group &g, F changed)
{
#pragma unroll
    for (int i = 0; i < 3 * EDIT_GROUP; i++)
        g.pixel[i / 3].of[i % 3] = changed(g.pixel[i / 3].of[i % 3]);
}

template <typename F> __device__ __forceinline__ void each_pixel(edit_group &g, F changed)
{
#pragma unroll
    for (int i = 0; i < EDIT_GROUP; i++)
        g.pixel[i] = changed(g.pixel[i]);
}

__device__ __forceinline__ edit_levels saturated(edit_levels p, float amount)
{
    const float grey = grey_far(p) - FAR;
    return {blended(grey, p.of[0], amount), blended(grey, p.of[1], amount),
            blended(grey, p.of[2], amount)};
}

__device__ __forceinline__ void paint_group(const edit_paint &paint, const uint32_t *lower,
                                            edit_group &g)
{
    const float amount = paint.amount, other = paint.other;
    switch (paint.kind) {
    case STK_EDIT_BRIGHTNESS:
        each_level(g, [=](float level) { return blended(0, level, amount); });
        break;
    case STK_EDIT_CONTRAST:
        each_level(g, [=](float level) { return blended(other, level, amount); });
        break;
    case STK_EDIT_INVERT:
        each_level(g, [=](float level) { return LAST_LEVEL - level; });
        break;
    case STK_EDIT_SOLARIZE:
        each_level(g, [=](float level) { return level < amount ? level : LAST_LEVEL - level; });
        break;
    case STK_EDIT_POSTERIZE:
        each_level(g, [=](float level) { return whole_level(level * amount) * other; });
        break;
    case STK_EDIT_SATURATION:
        each_pixel(g, [=](edit_levels p) { return saturated(p, amount); });
        break;
    case STK_EDIT_GREY:
        each_pixel(g, [=](edit_levels p) { return saturated(p, 0); });
        break;
    case STK_EDIT_HUE:
        each_pixel(g, [=](edit_levels p) { return turned(p, amount, lower); });
        break;
    case STK_EDIT_ERASE:
#pragma unroll
        for (int i = 0; i < EDIT_GROUP; i++)
            if (stk_edit_is_in(paint.box, g.x[i], g.y[i])) g.pixel[i] = paint.colour;
        break;
    default:
        break;
    }
}

} // namespace stk

#endif
