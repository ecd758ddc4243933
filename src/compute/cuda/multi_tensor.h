/* Small tensors that are all worked on in the same way go into one launch. Kernels with `gathers`
 * note their work here; the next flush begins it. */
#ifndef STK_COMPUTE_CUDA_MULTI_TENSOR_H
#define STK_COMPUTE_CUDA_MULTI_TENSOR_H

#include "compute/cuda/cuda.h"
#include "compute/cuda_kernels/multi_tensor.h"

/* One kind of work, a row in the file of its kernels. */
typedef struct stk_cuda_multi_tensor_kind {
    const char *name;
    int         most; /* items of a launch */
    cudaError_t (*launch)(const void *attrs, const stk_cuda_multi_tensor_item *const *items,
                          int count, cudaStream_t stream);
} stk_cuda_multi_tensor_kind;

stk_status stk_cuda_multi_tensor_new(stk_cuda_multi_tensor **out, stk_error *err);
void       stk_cuda_multi_tensor_free(stk_cuda_multi_tensor *batch); /* NULL is fine */

/* Notes an item. Items of one kind whose attrs, up to STK_CUDA_BATCH_ATTRS bytes, are equal share
 * launches; one that reads or writes what another one writes comes after it. Copies all that is
 * given. */
stk_status stk_cuda_multi_tensor_add(stk_device *device, const stk_cuda_multi_tensor_kind *kind,
                                     const void *attrs, size_t attrs_size,
                                     const stk_cuda_multi_tensor_item *item, stk_error *err);
/* Whether there are bytes of both; none of what is NULL. */
bool stk_cuda_overlap(const stk_cuda_span *a, const stk_cuda_span *b);
/* Begins all that was held back or noted. */
stk_status stk_cuda_flush(stk_device *device, stk_error *err);

/* Holds a call back, after beginning all that is before it: one that follows may take it in. */
stk_status stk_cuda_defer(const stk_kernel_call *call,
                          stk_status (*begin)(const stk_kernel_call *call, stk_error *err),
                          stk_error *err);
/* The call that is held back for begin, when nothing was noted since; else NULL. */
const stk_kernel_call *stk_cuda_deferred(const stk_device *device,
                                         stk_status (*begin)(const stk_kernel_call *call,
                                                             stk_error             *err));

#endif
