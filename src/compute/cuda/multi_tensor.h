/* Multi-tensor launch: many small tensors in one kernel. Deferred kernels add items; the next flush
 * launches them. */
#ifndef STK_COMPUTE_CUDA_MULTI_TENSOR_H
#define STK_COMPUTE_CUDA_MULTI_TENSOR_H

#include "compute/cuda/cuda.h"
#include "compute/cuda_kernels/multi_tensor.h"

/* A kind of item, defined in its kernel's file. */
typedef struct stk_cuda_multi_tensor_kind {
    const char *name;
    int         max_items; /* most items per launch */
    cudaError_t (*launch)(const void *attrs, const stk_cuda_multi_tensor_item *const *items,
                          int count, cudaStream_t stream);
} stk_cuda_multi_tensor_kind;

stk_status stk_cuda_multi_tensor_new(stk_cuda_multi_tensor **out, stk_error *err);
void       stk_cuda_multi_tensor_free(stk_cuda_multi_tensor *batch); /* NULL is fine */

/* Adds an item. Items of one kind with equal attrs (at most STK_CUDA_BATCH_ATTRS bytes) share
 * launches. An item that reads or writes memory written by another runs after it. Copies its
 * arguments. */
stk_status stk_cuda_multi_tensor_add(stk_device *device, const stk_cuda_multi_tensor_kind *kind,
                                     const void *attrs, size_t attrs_size,
                                     const stk_cuda_multi_tensor_item *item, stk_error *err);
/* Whether both spans share bytes; false for NULL. */
bool stk_cuda_overlap(const stk_cuda_span *a, const stk_cuda_span *b);
/* Launches all deferred work. */
stk_status stk_cuda_flush(stk_device *device, stk_error *err);

/* Defers a single call after flushing earlier work; a following call may take it into its
 * launch. */
stk_status stk_cuda_defer(const stk_kernel_call *call,
                          stk_status (*begin)(const stk_kernel_call *call, stk_error *err),
                          stk_error *err);
/* The call deferred with this launch function if nothing was deferred since; else NULL. */
const stk_kernel_call *stk_cuda_deferred(const stk_device *device,
                                         stk_status (*begin)(const stk_kernel_call *call,
                                                             stk_error             *err));

#endif
