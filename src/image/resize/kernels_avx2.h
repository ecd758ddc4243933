/* The loops of AVX2, for the tables of kernels that use them; resize_kernels.h has what they do. */
#ifndef STK_IMAGE_RESIZE_KERNELS_AVX2_H
#define STK_IMAGE_RESIZE_KERNELS_AVX2_H

#include "image/resize/resize_kernels.h"

size_t stk_row_gather_scratch_avx2(const stk_axis *axis, int32_t channels);
void   stk_row_gather_arrange_avx2(stk_row_gather *gather);
void   stk_sum_integer_avx2(const stk_sum *sum, uint8_t *dst);
void   stk_sum_steps_avx2(const stk_sum *sum, uint8_t *dst);
void   stk_sum_real_avx2(const stk_sum *sum, float *dst);

void stk_split_avx2(const uint8_t *src, size_t pixels, uint8_t *const dst[3]);
void stk_pad_avx2(const uint8_t *src, size_t pixels, uint8_t *dst);
void stk_mirror_1_avx2(const uint8_t *src, size_t pixels, uint8_t *dst);
void stk_mirror_3_avx2(const uint8_t *src, size_t pixels, uint8_t *dst);
void stk_convert_avx2(const uint8_t *src, size_t count, const stk_pattern *pattern, stk_dtype dtype,
                      void *dst);
void stk_convert_real_avx2(const float *src, size_t count, const stk_pattern *pattern,
                           stk_dtype dtype, void *dst);

#endif
