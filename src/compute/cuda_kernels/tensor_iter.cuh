/* Tensor iterators in kernels: map the index of a piece to its offset in each tensor. */
#ifndef STK_COMPUTE_CUDA_KERNELS_TENSOR_ITER_CUH
#define STK_COMPUTE_CUDA_KERNELS_TENSOR_ITER_CUH

#include "compute/cuda_kernels/launch.cuh"
#include "compute/cuda_kernels/tensor_iter.h"

namespace stk
{

/* Division of numbers below 2^31 by multiplication. */
struct divider {
    uint32_t by, magic, shift;

    void set(uint32_t number)
    {
        by = number;
        for (shift = 0; shift < 31 && (1u << shift) < number; shift++)
            ;
        magic = (uint32_t)((((uint64_t)1 << 32) * (((uint64_t)1 << shift) - number)) / number + 1);
    }
    __device__ __forceinline__ uint32_t divide(uint32_t x) const
    {
        return (__umulhi(x, magic) + x) >> shift;
    }
};

/* Pieces of N elements of the last dimension. */
struct strided_iter {
    int      rank, piece;
    uint32_t pieces; /* total */
    divider  size[STK_CUDA_ITER_RANK];
    int64_t  step[STK_CUDA_ITER_TENSORS][STK_CUDA_ITER_RANK]; /* stride between pieces */

    void set(const stk_cuda_tensor_iter &iter, int count)
    {
        rank = iter.rank;
        piece = count;
        pieces = 1;
        for (int d = 0; d < rank; d++) {
            int64_t of = d == rank - 1 ? iter.size[d] / count : iter.size[d];
            size[d].set((uint32_t)of);
            pieces *= (uint32_t)of;
            for (int t = 0; t < iter.tensors; t++)
                step[t][d] = iter.stride[t][d] * (d == rank - 1 ? count : 1);
        }
    }
    template <int TENSORS>
    __device__ __forceinline__ void find(uint32_t index, int64_t (&at)[TENSORS]) const
    {
#pragma unroll
        for (int t = 0; t < TENSORS; t++)
            at[t] = 0;
        for (int d = rank - 1; d >= 0; d--) {
            uint32_t before = size[d].divide(index), here = index - before * size[d].by;
#pragma unroll
            for (int t = 0; t < TENSORS; t++)
                at[t] += here * step[t][d];
            index = before;
        }
    }
};

/* Calls start(iter, offsets) for parts of fewer than 2^31 elements each. */
template <typename F>
cudaError_t iter_in_parts(const stk_cuda_tensor_iter &iter,
                          const int64_t (&at)[STK_CUDA_ITER_TENSORS], const F &start)
{
    int64_t count = 1;
    int     d = 0;
    for (int i = 0; i < iter.rank; i++)
        count *= iter.size[i];
    if (count == 0) return cudaSuccess;
    if (count < (int64_t)1 << 31) return start(iter, at);
    while (iter.size[d] == 1)
        d++;
    stk_cuda_tensor_iter half = iter;
    int64_t              second[STK_CUDA_ITER_TENSORS];
    half.size[d] = d == iter.rank - 1 ? iter.size[d] / 32 * 16 : iter.size[d] / 2;
    cudaError_t code = iter_in_parts(half, at, start);
    for (int t = 0; t < STK_CUDA_ITER_TENSORS; t++)
        second[t] = at[t] + half.size[d] * iter.stride[t][d];
    half.size[d] = iter.size[d] - half.size[d];
    return code == cudaSuccess ? iter_in_parts(half, second, start) : code;
}

} // namespace stk
#endif
