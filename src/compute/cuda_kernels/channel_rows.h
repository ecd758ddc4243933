/* Tensors as rows of channels. A thread owns a few channels and goes down the rows, so that
 * per-channel values are read once and stay in registers. */
#ifndef STK_COMPUTE_CUDA_KERNELS_CHANNEL_ROWS_H
#define STK_COMPUTE_CUDA_KERNELS_CHANNEL_ROWS_H

#include "compute/cuda_kernels/abi.h"

STK_CUDA_BEGIN

/* Limits of stk_cuda_rows_per_block: rows per thread, threads, threads across, blocks per cluster,
 * and blocks per large cluster. */
enum {
    STK_CUDA_FEW_ROWS = 4,
    STK_CUDA_FEW_THREADS = 512,
    STK_CUDA_FEW_ACROSS = 2,
    STK_CUDA_CLUSTER = 8,
    STK_CUDA_CLUSTER_MAX = 16
};

/* Blocks of across * down threads. blockIdx.x selects the tile of channels, blockIdx.y the rows. */
typedef struct stk_cuda_rows {
    int64_t rows, channels;
    int64_t stride; /* elements between rows: channels with padding */
    int     wide;   /* channels per thread: as many as fit 16 bytes, or 1 */
    int     across, down;
    int     tiles, blocks;
    /* A thread's next row is one sweep of all blocks further down. There are `sweeps` complete
     * sweeps and `more` rows. */
    int64_t step; /* in elements */
    int     sweeps, more;
} stk_cuda_rows;

STK_CUDA_END
#endif
