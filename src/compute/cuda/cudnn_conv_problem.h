/* A convolution problem for cuDNN and cuBLAS: its tuning key and its operation graphs. */
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
    stk_conv2d_shape    shape; /* in_c includes padding */
    stk_conv2d_attrs    attrs;
    stk_cuda_activation act;
    bool                bias, addend;
    bool                deterministic, tf32;
} stk_conv_problem;

/* The op's row in this plug-in. */
const stk_graph_op *stk_conv_op(stk_conv_direction pass);
/* x is the format of images that are read; of dgrad, that of dx. */
stk_conv_problem stk_conv_problem_of(const stk_device *device, stk_conv_direction pass,
                                     const stk_op_instance *instance, stk_format x);
/* Whether it is a GEMM. */
bool stk_conv_is_gemm(const stk_conv_problem *c);
/* Whether it has an epilogue: bias, activation or addend. */
bool stk_conv_has_more(const stk_conv_problem *c);

/* Tuning key: one line, unique to c. Returns text. */
char *stk_conv_key(const stk_conv_problem *c, char *text, size_t capacity);

/* Tensors of a graph: two operands, the result, and for the epilogue the bias or addend. Without
 * `more` the graph is the plain convolution. */
enum { STK_CONV_FIRST, STK_CONV_SECOND, STK_CONV_RESULT, STK_CONV_THIRD, STK_CONV_TENSORS };
void stk_conv_spec(const stk_conv_problem *c, bool more, stk_cudnn_spec *out);
/* Whether cuDNN has a graph with the epilogue. */
bool stk_conv_spec_can(const stk_conv_problem *c);
/* Numerical notes of engines to exclude. */
uint32_t stk_conv_refused(const stk_conv_problem *c);

#endif
