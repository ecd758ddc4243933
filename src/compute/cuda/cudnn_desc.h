/* Builder of cuDNN backend descriptors: begin, puts, end. end returns the first failure, so puts
 * need no checks. */
#ifndef STK_COMPUTE_CUDA_CUDNN_DESC_H
#define STK_COMPUTE_CUDA_CUDNN_DESC_H

#include "compute/cuda/cudnn_graph.h"

typedef struct stk_cudnn_desc {
    cudnnBackendDescriptor_t     it;
    cudnnBackendDescriptorType_t type;
    cudnnStatus_t                status;
    int                          attribute; /* that failed; -1: none */
} stk_cudnn_desc;

stk_cudnn_desc stk_cudnn_begin(cudnnBackendDescriptorType_t type);
void           stk_cudnn_put(stk_cudnn_desc *desc, cudnnBackendAttributeName_t name,
                             cudnnBackendAttributeType_t type, int64_t count, const void *values);
/* Sets a descriptor as attribute; nothing if it is NULL. */
void stk_cudnn_put_desc(stk_cudnn_desc *desc, cudnnBackendAttributeName_t name,
                        cudnnBackendDescriptor_t value);
/* Finalizes. On failure *out is NULL and the descriptor is destroyed. */
STK_NODISCARD stk_status stk_cudnn_end(stk_cudnn_desc *desc, cudnnBackendDescriptor_t *out,
                                       const char *where, stk_error *err);
void                     stk_cudnn_drop(cudnnBackendDescriptor_t *desc);

struct stk_cudnn_graph {
    stk_cudnn_spec           spec;
    stk_cudnn_target         target;
    cudnnBackendDescriptor_t tensor[STK_CUDNN_TENSORS];
    cudnnBackendDescriptor_t settings[STK_CUDNN_OPS]; /* settings descriptors of ops */
    cudnnBackendDescriptor_t op[STK_CUDNN_OPS];
    cudnnBackendDescriptor_t graph;
};

#endif
