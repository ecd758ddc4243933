/* One algorithm for a convolution: a cuDNN engine or a cuBLAS GEMM, and the epilogue by native
 * kernels. */
#ifndef STK_COMPUTE_CUDA_CUDNN_CONV_ALGORITHM_H
#define STK_COMPUTE_CUDA_CUDNN_CONV_ALGORITHM_H

#include "compute/cuda/cublas_conv.h"
#include "compute/cuda/cudnn_conv_problem.h"

typedef enum stk_conv_kind {
    STK_CONV_NO_ALGORITHM,
    STK_CONV_ENGINE, /* the plain convolution; the epilogue is native */
    STK_CONV_FUSED,  /* with its epilogue */
    STK_CONV_GEMM,
    STK_CONV_KINDS
} stk_conv_kind;

/* All pointers are owned by the creator. */
typedef struct stk_conv_algorithm {
    stk_conv_kind    kind;
    stk_cudnn_graph *graph; /* of the plan */
    stk_cudnn_plan  *plan;
    stk_cublas_conv *gemm;
    stk_cudnn_choice choice; /* of the plan */
} stk_conv_algorithm;

/* Text form: "engine 28 2:5", "fused 3 24:1", "product 1f.0.3" */
char *stk_conv_algorithm_text(const stk_conv_algorithm *algorithm, char *text, size_t capacity);
/* Parses the kind at the start; *rest is the remainder. */
stk_conv_kind stk_conv_kind_parse(const char *text, const char **rest);

/* Scratch bytes of a run. */
size_t stk_conv_algorithm_scratch(const stk_conv_problem *c, const stk_conv_algorithm *algorithm);

/* Addresses, indexed by STK_CONV_FIRST, ..., and scratch. */
typedef struct stk_conv_addresses {
    void *at[STK_CONV_TENSORS], *scratch;
} stk_conv_addresses;

/* Caches the variant pack for the last addresses. Starts as zeros. */
typedef struct stk_conv_bound_pack {
    stk_conv_addresses      addresses;
    stk_cudnn_variant_pack *pack;
} stk_conv_bound_pack;

void stk_conv_bound_pack_release(stk_conv_bound_pack *bound_pack);

/* Enqueues on the device's stream, which is the handle's. */
STK_NODISCARD stk_status stk_conv_algorithm_run(stk_device *device, cudnnHandle_t handle,
                                                const stk_conv_problem   *c,
                                                const stk_conv_algorithm *algorithm,
                                                const stk_conv_addresses *addresses,
                                                stk_conv_bound_pack *bound_pack, stk_error *err);

#endif
