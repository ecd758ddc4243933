/* sgd, lars, adamw, lamb, ema, lookahead and accumulate of many tensors in one launch. A tensor is
 * divided into chunks of STK_CUDA_CHUNK elements, one block each. The table of tensors is a kernel
 * argument, so a captured launch keeps it. */
#ifndef STK_COMPUTE_CUDA_KERNELS_UPDATE_H
#define STK_COMPUTE_CUDA_KERNELS_UPDATE_H

#include "compute/cuda_kernels/abi.h"

STK_CUDA_BEGIN

typedef enum stk_cuda_update_kind {
    STK_CUDA_UPDATE_SGD,
    STK_CUDA_UPDATE_LARS,
    STK_CUDA_UPDATE_ADAMW,
    STK_CUDA_UPDATE_LAMB,
    STK_CUDA_UPDATE_EMA,
    STK_CUDA_UPDATE_LOOKAHEAD,
    STK_CUDA_UPDATE_ACCUMULATE
} stk_cuda_update_kind;

/* Attributes of the op, shared by many tensors. */
typedef struct stk_cuda_update_rule {
    double rate, freeze_after, weight_decay, beta1, beta2, epsilon, trust;
    double decay; /* ema */
    int    nesterov, adapt;
} stk_cuda_update_rule;

/* One tensor in memory order; padding is zero and stays so. ema: w is the average, g the parameter;
 * lookahead: w is the slow copy, g and m the parameter; accumulate: w is the sum. Outputs may alias
 * their inputs. */
typedef struct stk_cuda_update_tensor {
    const float *w, *m, *v;
    const void  *g;
    float       *to_w, *to_m, *to_v;
    double      *sums; /* lars, lamb: memory of stk_cuda_update_sums(count) bytes */
    int64_t      count;
    int          g_dtype, rule;
} stk_cuda_update_tensor;

enum { STK_CUDA_CHUNK = 8192, STK_CUDA_UPDATE_TENSORS = 240, STK_CUDA_UPDATE_RULES = 8 };

typedef struct stk_cuda_update_batch {
    const float *hyper, *guard; /* device memory; NULL if the kind does not use them */
    int          tensors, rules;
    int          kind;
    int          first[STK_CUDA_UPDATE_TENSORS + 1]; /* first chunk of each tensor; the end */
    stk_cuda_update_rule   rule[STK_CUDA_UPDATE_RULES];
    stk_cuda_update_tensor tensor[STK_CUDA_UPDATE_TENSORS];
} stk_cuda_update_batch;

static inline int64_t stk_cuda_chunks(int64_t count)
{
    return (count + STK_CUDA_CHUNK - 1) / STK_CUDA_CHUNK;
}

/* The trust ratio, then two sums per chunk. */
static inline size_t stk_cuda_update_sums(int64_t count)
{
    return (size_t)(2 * stk_cuda_chunks(count) + 1);
}

/* Sets first. */
cudaError_t stk_cuda_update_launch(stk_cuda_update_batch *batch, cudaStream_t stream);

STK_CUDA_END
#endif
