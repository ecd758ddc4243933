/* Tensors as rows of channels. A thread keeps to a few channels and walks down the rows, so that
 * what belongs to a channel is read once and stays in registers. */
#ifndef STK_COMPUTE_CUDA_KERNELS_CHANNEL_ROWS_H
#define STK_COMPUTE_CUDA_KERNELS_CHANNEL_ROWS_H

#include "compute/cuda_kernels/abi.h"

STK_CUDA_BEGIN

/* Of stk_cuda_rows_to_own, at most: rows of a thread, threads, of those across; blocks where there
 * are clusters, and where there are large ones. */
enum {
    STK_CUDA_FEW_ROWS = 4,
    STK_CUDA_FEW_THREADS = 512,
    STK_CUDA_FEW_ACROSS = 2,
    STK_CUDA_CLUSTER = 8,
    STK_CUDA_CLUSTER_MAX = 16
};

/* Blocks of across * down threads; blocks beside each other take the next tile of channels, those
 * below each other the next rows. */
typedef struct stk_cuda_rows {
    int64_t rows, channels;
    int64_t stride; /* elements from a row to the next: channels and their padding */
    int     wide;   /* channels of a thread: as many as 16 bytes hold, or 1 */
    int     across, down;
    int     tiles, blocks;
    /* A thread's next row is a sweep of all blocks further; there are so many whole sweeps, and
     * then some rows more. */
    int64_t step; /* in elements */
    int     sweeps, more;
} stk_cuda_rows;

STK_CUDA_END
#endif
