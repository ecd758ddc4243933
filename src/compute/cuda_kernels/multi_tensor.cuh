/* Table of a multi-tensor launch: maps blocks to items. It is a kernel parameter (of up to 32 KB),
 * so nothing is copied before the launch. */
#ifndef STK_COMPUTE_CUDA_KERNELS_MULTI_TENSOR_CUH
#define STK_COMPUTE_CUDA_KERNELS_MULTI_TENSOR_CUH

#include "compute/cuda_kernels/launch.cuh"
#include "compute/cuda_kernels/multi_tensor.h"

namespace stk
{

/* PLACES addresses per item; ITEMS * (8 * PLACES + 12) bytes. */
template <int PLACES, int ITEMS> struct batch_table {
    int64_t count[ITEMS];
    void   *at[PLACES][ITEMS];
    int     items, first[ITEMS]; /* first block of each */

    static_assert(ITEMS * (8 * PLACES + 12) < 32000, "a kernel's parameters are 32 KB at most");

    /* Assigns blocks of `chunk` elements to all items; returns their number. The caller sets the
     * addresses. */
    int set(const stk_cuda_multi_tensor_item *const *list, int amount, int64_t chunk)
    {
        int blocks = 0;
        items = amount;
        for (int i = 0; i < amount; i++) {
            count[i] = list[i]->count;
            first[i] = blocks;
            blocks += (int)((list[i]->count + chunk - 1) / chunk);
        }
        return blocks;
    }

    /* The item of a block. */
    __device__ __forceinline__ int find(int block) const
    {
        int low = 0, high = items;
        while (high - low > 1) {
            int middle = (low + high) / 2;
            if (first[middle] <= block)
                low = middle;
            else
                high = middle;
        }
        return low;
    }
};

} // namespace stk
#endif
