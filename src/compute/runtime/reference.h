/* Reference implementations of ops as kernels: plain C, row-major. 16-bit tensors are converted to
 * float32 in scratch. Backends list it for ops without a faster kernel. */
#ifndef STK_COMPUTE_RUNTIME_REFERENCE_H
#define STK_COMPUTE_RUNTIME_REFERENCE_H

#include "compute/runtime/backend.h"

stk_status stk_reference_prepare(stk_kernel_call *call, size_t *scratch, stk_error *err);
stk_status stk_reference_run(const stk_kernel_call *call, stk_error *err);
void       stk_reference_release(stk_kernel_call *call);
/* Functions of backends whose memory is host memory. */
void    *stk_host_alloc(stk_device *device, size_t size);
uint64_t stk_host_memory(const stk_device *device);
void     stk_host_free(stk_device *device, void *data, size_t size);
void     stk_host_copy(stk_device *device, void *dst, const void *src, size_t size);
void     stk_host_clear(stk_device *device, void *dst, size_t size);
bool     stk_host_finite(stk_device *device, const stk_tensor_type *type, const void *data,
                         size_t bytes);

#endif
