/* The loops of AVX-512 (with VBMI and VNNI); resize_kernels.h has what they do. */
#ifndef STK_IMAGE_RESIZE_KERNELS_AVX512_H
#define STK_IMAGE_RESIZE_KERNELS_AVX512_H

#include "image/resize/resize_kernels.h"

size_t stk_row_gather_scratch_avx512(const stk_axis *axis, int32_t channels);
void   stk_row_gather_arrange_avx512(stk_row_gather *gather);
void   stk_sum_integer_avx512(const stk_sum *sum, uint8_t *dst);
void   stk_sum_steps_avx512(const stk_sum *sum, uint8_t *dst);

#endif
