/* Between C, which knows ops, and CUDA C++, which computes: launchers are C functions that take
 * plain structs and give CUDA's code. They only begin work on the stream. */
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

/* An activation as kernels know it. Its row is found by name: the rows of the asking library are
 * others than this file's. */
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
