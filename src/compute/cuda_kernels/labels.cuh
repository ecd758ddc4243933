/* Device functions for labels. */
#ifndef STK_COMPUTE_CUDA_KERNELS_LABELS_CUH
#define STK_COMPUTE_CUDA_KERNELS_LABELS_CUH

#include "compute/cuda_kernels/group.cuh"
#include "compute/cuda_kernels/labels.h"

namespace stk
{

__device__ __forceinline__ bool are_numbers(const stk_cuda_labels &labels)
{
    return labels.dtype != STK_DTYPE_F32;
}

/* Class index of a row; -1 if out of range, which excludes the row. */
__device__ __forceinline__ int64_t number_at(const stk_cuda_labels &labels, int64_t row)
{
    int64_t label = labels.dtype == STK_DTYPE_I32 ? ((const int32_t *)labels.data)[row]
                                                  : ((const int64_t *)labels.data)[row];
    return label >= 0 && label < labels.classes ? label : -1;
}

/* Number of rows with a label, counted by a block of ROW_THREADS. */
__device__ __forceinline__ int64_t count_rows(const stk_cuda_labels &labels)
{
    long long count = 0;
    if (!are_numbers(labels)) return labels.rows;
#pragma unroll 4
    for (int64_t r = threadIdx.x; r < labels.rows; r += ROW_THREADS)
        count += number_at(labels, r) >= 0;
    return team_reduce<ROW_THREADS>(count, adding());
}

/* One block: sums row values, or averages them over the rows with a label. */
template <bool MEAN>
__global__ void __launch_bounds__(ROW_THREADS)
    total(const float *each, stk_cuda_labels labels, float *out)
{
    double sum = 0;
    wait_for_earlier();
#pragma unroll 4
    for (int64_t r = threadIdx.x; r < labels.rows; r += ROW_THREADS)
        sum += (double)each[r];
    sum = team_reduce<ROW_THREADS>(sum, adding());
    if (MEAN) {
        int64_t count = count_rows(labels);
        sum = count ? sum / (double)count : 0;
    }
    if (threadIdx.x == 0) *out = (float)sum;
}

} // namespace stk

#endif
