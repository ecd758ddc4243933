/* Levels of pixels as floats in 256ths. Integer arithmetic as in edit/edit_pixels.h would need
 * conversions, and saturation to [0, 1] is free in float sums. Rounding happens exactly where the
 * integer code rounds, so results are equal. */
#ifndef STK_COMPUTE_CUDA_KERNELS_EDIT_LEVELS_CUH
#define STK_COMPUTE_CUDA_KERNELS_EDIT_LEVELS_CUH

#include "compute/cuda_kernels/launch.cuh"
#include "edit/edit_pixels.h"

namespace stk
{

constexpr int   EDIT_GROUP = 4; /* pixels per thread */
constexpr float LEVEL = 1.0f / 256, LAST_LEVEL = 255 * LEVEL;

struct edit_levels {
    float of[3];
};

/* Adding this leaves a value as an integer in the low bits: of levels, of integers. */
constexpr float    FAR = 32768, FAR_WHOLE = 8388608;
constexpr uint32_t FAR_BITS = 0x47000000;

/* Both for non-negative values. */
__device__ __forceinline__ float whole_level(float x)
{
    return __fadd_rz(x, FAR) - FAR;
}

__device__ __forceinline__ float whole(float x)
{
    return __fadd_rz(x, FAR_WHOLE) - FAR_WHOLE;
}

__device__ __forceinline__ float level_of_byte(uint32_t word, uint32_t byte)
{
    return __uint_as_float(__byte_perm(word, FAR_BITS, 0x7540 | byte)) - FAR;
}

/* Red is the lowest byte of word. */
__device__ __forceinline__ edit_levels levels_of(uint32_t word)
{
    return {level_of_byte(word, 0), level_of_byte(word, 1), level_of_byte(word, 2)};
}

__device__ __forceinline__ uint32_t word_of(edit_levels p)
{
    uint32_t bits[3];
#pragma unroll
    for (int c = 0; c < 3; c++)
        bits[c] = __float_as_uint(p.of[c] + FAR);
    return __byte_perm(__byte_perm(bits[0], bits[1], 0x0040), bits[2], 0x6410) & 0xffffff;
}

/* As stk_edit_grey, offset by FAR; all sums are exact. */
__device__ __forceinline__ float grey_far(edit_levels p)
{
    const float red = 19595.0f / 65536, green = 38470.0f / 65536, blue = 7471.0f / 65536;
    const float sum = fmaf(p.of[0], red, fmaf(p.of[1], green, fmaf(p.of[2], blue, LEVEL / 2)));
    return __fadd_rz(sum, FAR);
}

__device__ __forceinline__ float blended(float from, float level, float factor)
{
    const float x = __saturatef(__fadd_rn(from, __fmul_rn(factor, level - from)));
    return fminf(whole_level(x), LAST_LEVEL);
}

/* Approximate reciprocal of a non-zero value. */
__device__ __forceinline__ float one_over(float x)
{
#ifdef __CUDA_ARCH__
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#else
    return 1 / x;
#endif
}

/* count / 255, correctly rounded, for integers up to 255. */
__device__ __forceinline__ float share_of_255(float count)
{
    const float near = 1.0f / 255, rest = (float)(1.0 / 255 - (double)near);
    return fmaf(count, near, __fmul_rn(count, rest));
}

/* As stk_edit_paler. */
__device__ __forceinline__ float paler(float value, float saturation, float along)
{
    const float shade = __fmul_rn(value, __fadd_rn(1, -__fmul_rn(saturation, along)));
    return whole_level(__fadd_rn(shade, LEVEL / 2));
}

/* Integer hues may come out one lower here, since an inexact division by six is truncated. A bit
 * for each such hue. */
constexpr int HUE_WORDS = 8;

__device__ __forceinline__ void set_lower_hues(uint32_t (&lower)[HUE_WORDS])
{
    const uint32_t bits[HUE_WORDS] = {0xfffffffe, 0x00000000, 0x11000000, 0x00000111,
                                      0x222aaaaa, 0x23232222, 0x00022222, 0x00000000};
#pragma unroll
    for (int i = 0; i < HUE_WORDS; i++)
        lower[i] = bits[i];
}

/* Hue and saturation are in [0, 255]. Non-integers are at least 1/510 from an integer, so quotients
 * need not be exact, and 0 may be divided by nearly 0. */
constexpr float HUE_MARGIN = 1.0f / 2048, NEARLY_0 = LEVEL / (1 << 21);

__device__ __forceinline__ float hue_of(edit_levels p, float most, float apart,
                                        const uint32_t *lower)
{
    const bool     red = p.of[0] == most, green = p.of[1] == most;
    const float    ahead = red ? p.of[1] : green ? p.of[2] : p.of[0];
    const float    behind = red ? p.of[2] : green ? p.of[0] : p.of[1];
    const float    centre = red ? HUE_MARGIN : (green ? 85 : 170) + HUE_MARGIN;
    const float    turned = fmaf((ahead - behind) * one_over(apart + NEARLY_0), 42.5f, centre);
    const float    place = turned < 0 ? turned + 255 : turned;
    const float    far = __fadd_rz(place, FAR_WHOLE), hue = far - FAR_WHOLE;
    const uint32_t bits = __float_as_uint(far);
    const bool     is_lower = __funnelshift_r(lower[bits >> 5 & 7], 0, bits) & 1;
    return is_lower && place - hue < 2 * HUE_MARGIN ? hue - 1 : hue;
}

__device__ __forceinline__ float saturation_of(float most, float apart)
{
    return whole(fmaf(apart * one_over(most + NEARLY_0), 255, HUE_MARGIN));
}

/* As stk_edit_of_hsv: one channel has the value, another the minimum, the third lies between. */
__device__ __forceinline__ edit_levels colour_of(float hue, float saturation, float value)
{
    const float sixth = whole(fmaf(hue, 6.0f / 255, HUE_MARGIN));
    const float along = share_of_255(fmaf(sixth, -255, 6 * hue)), at = sixth == 6 ? 0 : sixth;
    const bool  falls = __float_as_uint(at + FAR_WHOLE) & 1;
    const float part = share_of_255(saturation), low = paler(value, part, 1);
    const float between = paler(value, part, falls ? along : __fadd_rn(1, -along));
    const float r = fabsf(at - 2.5f), g = fabsf(at - 1.5f), b = fabsf(at - 3.5f);
    edit_levels p;
    p.of[0] = r > 2 ? value : r > 1 ? between : low;
    p.of[1] = g < 1 ? value : g < 2 ? between : low;
    p.of[2] = b < 1 ? value : b < 2 ? between : low;
    return p;
}

/* As stk_edit_turn, with shift from 0 to 255; lower is that of set_lower_hues. */
__device__ __forceinline__ edit_levels turned(edit_levels p, float shift, const uint32_t *lower)
{
    const float most = fmaxf(p.of[0], fmaxf(p.of[1], p.of[2]));
    const float apart = most - fminf(p.of[0], fminf(p.of[1], p.of[2]));
    const float hue = hue_of(p, most, apart, lower) + shift;
    return colour_of(hue >= 256 ? hue - 256 : hue, saturation_of(most, apart), most);
}

} // namespace stk

#endif
