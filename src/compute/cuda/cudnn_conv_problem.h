/* A convolution as cuDNN and cuBLAS see it: the text by which what was measured of it is kept, and
 * the graphs that compute it. */
#ifndef STK_COMPUTE_CUDA_CUDNN_CONV_PROBLEM_H
#define STK_COMPUTE_CUDA_CUDNN_CONV_PROBLEM_H

#include "compute/cuda/cuda.h"
#include "compute/cuda/cudnn_graph.h"
#include "compute/cuda_kernels/abi.h"
#include "compute/ops/conv2d.h"

typedef enum stk_conv_direction {
    STK_CONV_FORWARD,
    STK_CONV_INPUT,
    STK_CONV_WEIGHT
} stk_conv_direction;

typedef struct stk_conv_problem {
    stk_conv_direction  pass;
    stk_dtype           dtype;
    stk_conv2d_shape    shape; /* in_c with its padding */
    stk_conv2d_attrs    attrs;
    stk_cuda_activation act;
    bool                bias, addend;
    bool                deterministic, tf32;
} stk_conv_problem;

/* The row of the op in this plug-in. */
const stk_graph_op *stk_conv_op(stk_conv_direction pass);
/* x: how images lie that are read; of gradients by x, how theirs lie that is written. */
stk_conv_problem stk_conv_problem_of(const stk_device *device, stk_conv_direction pass,
                                     const stk_op_instance *instance, stk_format x);
/* Whether it is a product of two matrices. */
bool stk_conv_is_gemm(const stk_conv_problem *c);
/* Whether something follows the convolution proper: a bias, an activation, an addition. */
bool stk_conv_has_more(const stk_conv_problem *c);

/* One line that tells all of c; in text. */
char *stk_conv_key(const stk_conv_problem *c, char *text, size_t capacity);

/* Tensors of a graph: what the convolution reads (two), its result, and where it has more the bias
 * or what is added; without `more` only the convolution proper. */
enum { STK_CONV_FIRST, STK_CONV_SECOND, STK_CONV_RESULT, STK_CONV_THIRD, STK_CONV_TENSORS };
void stk_conv_spec(const stk_conv_problem *c, bool more, stk_cudnn_spec *out);
/* Whether there is a graph with all that follows. */
bool stk_conv_spec_can(const stk_conv_problem *c);
/* Numerical notes of engines that are not to be used. */
uint32_t stk_conv_refused(const stk_conv_problem *c);

#endif
