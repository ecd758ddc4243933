/* How kernels that treat channels alike share a tensor among threads. */
#ifndef STK_COMPUTE_CUDA_CHANNEL_ROWS_H
#define STK_COMPUTE_CUDA_CHANNEL_ROWS_H

#include "compute/cuda/cuda.h"
#include "compute/cuda_kernels/channel_rows.h"

/* For what is computed element by element. wide: channels of a thread, a divisor of the padded
 * ones; 0: as many as 16 bytes hold, or 1. */
stk_cuda_rows stk_cuda_rows_to_map(const stk_device *device, const stk_tensor_type *type,
                                   stk_format format, int wide);
/* For sums over rows: few blocks, since the last to end adds up what all have found. */
stk_cuda_rows stk_cuda_rows_to_sum(const stk_device *device, const stk_tensor_type *type,
                                   stk_format format);
/* For clusters of blocks, at most so many of them, that have all rows of a few channels, of a
 * tensor of few rows. */
stk_cuda_rows stk_cuda_rows_per_block(const stk_tensor_type *type, int max_blocks);
/* Whether there are so few rows, of a type of 16 bits whose channels come in eights. */
bool stk_cuda_rows_are_few(const stk_tensor_type *type, int max_blocks);
/* Whether there are counters for sums over so many channels. */
bool stk_cuda_rows_can_sum(const stk_tensor_type *type);
/* Bytes of what the blocks of a sum leave for the last: values floats a channel each. */
size_t stk_cuda_rows_bytes(const stk_cuda_rows *rows, int values);

#endif
