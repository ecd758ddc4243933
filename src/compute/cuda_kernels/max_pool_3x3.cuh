/* Work division of 3x3 windows with stride 2: a thread has 16 bytes of channels of a column and
 * goes down some rows of windows. */
#ifndef STK_COMPUTE_CUDA_KERNELS_MAX_POOL_3X3_CUH
#define STK_COMPUTE_CUDA_KERNELS_MAX_POOL_3X3_CUH

#include "compute/cuda_kernels/max_pool_3x3.h"
#include "compute/cuda_kernels/units.cuh"

namespace stk
{

constexpr int POOL_SIDE = 3;

struct pool_plan {
    int     groups, columns, segments, rows; /* channel groups; rows per segment */
    int64_t items;
};

struct pool_spot {
    int64_t n;
    int     segment, column, group;
};

__device__ __forceinline__ pool_spot pool_spot_of(const pool_plan &p, int64_t item)
{
    int64_t line = item / (p.groups * p.columns);
    int     rest = (int)(item - line * (p.groups * p.columns));
    return pool_spot{line / p.segments, (int)(line % p.segments), rest / p.groups, rest % p.groups};
}

/* Long segments reread little, but there must be threads for the complete GPU. */
inline pool_plan pool_plan_of(const stk_cuda_pool_args *args, int columns, int rows, int threads)
{
    constexpr int LONGEST = 8, BLOCKS_LEAST = 512;
    pool_plan p = {(int)(args->channels * (args->dtype == STK_DTYPE_F32 ? 4 : 2) / 16), columns, 0,
                   2 * LONGEST, 0};
    do {
        p.rows /= 2;
        p.segments = (rows + p.rows - 1) / p.rows;
        p.items = args->batch * p.segments * p.columns * p.groups;
    } while (p.rows > 1 && p.items < (int64_t)BLOCKS_LEAST * threads);
    return p;
}

} // namespace stk

#endif
