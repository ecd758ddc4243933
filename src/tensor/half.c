/* 16-bit floats. */
#include "tensor/half.h"
#include <string.h>

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

float stk_float_from_bf16(uint16_t bits)
{
    return float_of((uint32_t)bits << 16);
}

uint16_t stk_bf16_from_float(float value)
{
    uint32_t bits = bits_of(value);
    if ((bits & 0x7fffffff) > 0x7f800000) return (uint16_t)(bits >> 16 | 0x40); /* NaN stays one */
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* A multiplication by 2^112 moves the exponent and makes subnormals right at once. */
float stk_float_from_f16(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, magnitude = half & 0x7fff;
    if (magnitude >= 0x7c00) return float_of(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
    return float_of(sign | bits_of(float_of(magnitude << 13) * 0x1p112f));
}

uint16_t stk_f16_from_float(float value)
{
    uint32_t bits = bits_of(value), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000) return (uint16_t)(sign | 0x7e00);
    if (magnitude >= 0x477ff000) return (uint16_t)(sign | 0x7c00); /* rounds past 65504 */
    if (magnitude < 0x38800000) { /* subnormal: the addition rounds at the last bit there is */
        uint32_t rounded = bits_of(float_of(magnitude) + 0.5f) - bits_of(0.5f);
        return (uint16_t)(sign | rounded);
    }
    magnitude += 0xfff + (magnitude >> 13 & 1);
    return (uint16_t)(sign | (magnitude - 0x38000000) >> 13);
}

void stk_floats_from_half(stk_dtype dtype, const uint16_t *src, float *dst, int64_t count)
{
    if (dtype == STK_DTYPE_BF16)
        for (int64_t i = 0; i < count; i++)
            dst[i] = stk_float_from_bf16(src[i]);
    else
        for (int64_t i = 0; i < count; i++)
            dst[i] = stk_float_from_f16(src[i]);
}

void stk_halves_from_float(stk_dtype dtype, const float *src, uint16_t *dst, int64_t count)
{
    if (dtype == STK_DTYPE_BF16)
        for (int64_t i = 0; i < count; i++)
            dst[i] = stk_bf16_from_float(src[i]);
    else
        for (int64_t i = 0; i < count; i++)
            dst[i] = stk_f16_from_float(src[i]);
}
