/* 16-bit floats: conversions that round to nearest, ties to even, as the hardware's do. */
#ifndef STK_TENSOR_HALF_H
#define STK_TENSOR_HALF_H

#include <stdint.h>
#include <stoker/tensor.h>

float    stk_float_from_f16(uint16_t bits);
uint16_t stk_f16_from_float(float value);
float    stk_float_from_bf16(uint16_t bits);
uint16_t stk_bf16_from_float(float value);

/* Whole arrays; dtype is F16 or BF16. */
void stk_floats_from_half(stk_dtype dtype, const uint16_t *src, float *dst, int64_t count);
void stk_halves_from_float(stk_dtype dtype, const float *src, uint16_t *dst, int64_t count);

#endif
