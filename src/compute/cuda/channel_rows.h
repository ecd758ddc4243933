/* Work division of kernels that treat channels alike. */
#ifndef STK_COMPUTE_CUDA_CHANNEL_ROWS_H
#define STK_COMPUTE_CUDA_CHANNEL_ROWS_H

#include "compute/cuda/cuda.h"
#include "compute/cuda_kernels/channel_rows.h"

/* For elementwise kernels. wide: channels per thread, a divisor of the padded count; 0: as many as
 * fit 16 bytes, or 1. */
stk_cuda_rows stk_cuda_rows_to_map(const stk_device *device, const stk_tensor_type *type,
                                   stk_format format, int wide);
/* For reductions over rows: few blocks, since the last one adds the partials of all. */
stk_cuda_rows stk_cuda_rows_to_sum(const stk_device *device, const stk_tensor_type *type,
                                   stk_format format);
/* For clusters of at most max_blocks blocks that own all rows of a few channels, of tensors with
 * few rows. */
stk_cuda_rows stk_cuda_rows_per_block(const stk_tensor_type *type, int max_blocks);
/* Whether rows are few enough, of a 16-bit type with channels in multiples of eight. */
bool stk_cuda_rows_fit_cluster(const stk_tensor_type *type, int max_blocks);
/* Whether there are counters for reductions over so many channels. */
bool stk_cuda_rows_can_sum(const stk_tensor_type *type);
/* Bytes of a reduction's partials: values floats per channel. */
size_t stk_cuda_rows_bytes(const stk_cuda_rows *rows, int values);

#endif
