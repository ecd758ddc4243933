/* ABI between C, which knows ops, and CUDA C++. Launchers are C functions that take plain structs
 * and return cudaError_t. They enqueue work on the stream. */
#ifndef STK_COMPUTE_CUDA_KERNELS_ABI_H
#define STK_COMPUTE_CUDA_KERNELS_ABI_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>
#include <stoker/tensor.h>

#ifdef __cplusplus
#define STK_CUDA_BEGIN extern "C" {
#define STK_CUDA_END }
#else
#define STK_CUDA_BEGIN
#define STK_CUDA_END
#endif

STK_CUDA_BEGIN

/* An activation, found by name: the library's rows are not those of this plug-in. */
typedef enum stk_cuda_act {
    STK_CUDA_ACT_NONE,
    STK_CUDA_ACT_RELU,
    STK_CUDA_ACT_CLIP,
    STK_CUDA_ACT_LEAKY_RELU,
    STK_CUDA_ACT_GELU,
    STK_CUDA_ACT_SILU,
    STK_CUDA_ACT_SIGMOID,
    STK_CUDA_ACT_TANH,
    STK_CUDA_ACT_HARDSWISH,
    STK_CUDA_ACT_HARDSIGMOID,
    STK_CUDA_ACTS
} stk_cuda_act;

typedef struct stk_cuda_activation {
    stk_cuda_act act;
    float        a, b;
} stk_cuda_activation;

STK_CUDA_END
#endif
