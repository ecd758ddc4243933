/* Engines of a graph, for the files that read or build their configurations. */
#ifndef STK_COMPUTE_CUDA_CUDNN_ENGINE_H
#define STK_COMPUTE_CUDA_CUDNN_ENGINE_H

#include "compute/cuda/cudnn_graph.h"

/* STK_E_UNSUPPORTED: it does not support this graph. Destroy with stk_cudnn_drop. */
STK_NODISCARD stk_status stk_cudnn_engine_new(cudnnBackendDescriptor_t *out,
                                              const stk_cudnn_graph *graph, int64_t index,
                                              stk_error *err);

#endif
