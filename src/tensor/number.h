/* One element of any type as a number, shared by all kernels, also on GPUs: floats are a double,
 * all else is an int64. The caller handles 16-bit types: here they are read and written as float32.
 */
#ifndef STK_TENSOR_NUMBER_H
#define STK_TENSOR_NUMBER_H

#include <stdbool.h>
#include <stdint.h>
#include <stoker/tensor.h>

#ifdef __CUDACC__
#define STK_NUMBER_INLINE static __host__ __device__ inline
#else
#define STK_NUMBER_INLINE static inline
#endif

typedef struct stk_tensor_scalar {
    double  floating;
    int64_t integer;
    bool    is_real;
} stk_tensor_scalar;

STK_NUMBER_INLINE stk_tensor_scalar stk_number_float(double floating)
{
    const stk_tensor_scalar n = {floating, 0, true};
    return n;
}

STK_NUMBER_INLINE stk_tensor_scalar stk_number_integer(int64_t integer)
{
    const stk_tensor_scalar n = {0, integer, false};
    return n;
}

STK_NUMBER_INLINE stk_tensor_scalar stk_number_load(int dtype, const void *src, int64_t i)
{
    switch (dtype) {
    case STK_DTYPE_U8:
    case STK_DTYPE_BOOL:
        return stk_number_integer(((const uint8_t *)src)[i]);
    case STK_DTYPE_I8:
        return stk_number_integer(((const int8_t *)src)[i]);
    case STK_DTYPE_I32:
        return stk_number_integer(((const int32_t *)src)[i]);
    case STK_DTYPE_I64:
        return stk_number_integer(((const int64_t *)src)[i]);
    case STK_DTYPE_F64:
        return stk_number_float(((const double *)src)[i]);
    default:
        return stk_number_float((double)((const float *)src)[i]);
    }
}

STK_NUMBER_INLINE double stk_number_to_float(stk_tensor_scalar n)
{
    return n.is_real ? n.floating : (double)n.integer;
}

/* Truncates and saturates; NaN gives 0. Bounds are compared as doubles, and 2^63 is one: hence >=.
 */
STK_NUMBER_INLINE int64_t stk_number_to_integer(stk_tensor_scalar n, int64_t low, int64_t high)
{
    if (!n.is_real) return n.integer < low ? low : n.integer > high ? high : n.integer;
    if (n.floating != n.floating) return 0;
    if (n.floating <= (double)low) return low;
    return n.floating >= (double)high ? high : (int64_t)n.floating;
}

STK_NUMBER_INLINE void stk_number_store(int dtype, void *dst, int64_t i, stk_tensor_scalar n)
{
    switch (dtype) {
    case STK_DTYPE_BOOL:
        ((uint8_t *)dst)[i] = n.is_real ? n.floating != 0 : n.integer != 0;
        break;
    case STK_DTYPE_U8:
        ((uint8_t *)dst)[i] = (uint8_t)stk_number_to_integer(n, 0, UINT8_MAX);
        break;
    case STK_DTYPE_I8:
        ((int8_t *)dst)[i] = (int8_t)stk_number_to_integer(n, INT8_MIN, INT8_MAX);
        break;
    case STK_DTYPE_I32:
        ((int32_t *)dst)[i] = (int32_t)stk_number_to_integer(n, INT32_MIN, INT32_MAX);
        break;
    case STK_DTYPE_I64:
        ((int64_t *)dst)[i] = stk_number_to_integer(n, INT64_MIN, INT64_MAX);
        break;
    case STK_DTYPE_F64:
        ((double *)dst)[i] = stk_number_to_float(n);
        break;
    default:
        ((float *)dst)[i] = (float)stk_number_to_float(n);
    }
}

#endif
