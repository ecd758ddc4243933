/* Kernels of the CUDA backend against the op's reference, in float32, float16 and bfloat16: on the
 * emulator, or on a GPU where that is the plug-in that is loaded. */
#ifndef STK_TESTS_CUDA_SUPPORT_H
#define STK_TESTS_CUDA_SUPPORT_H

#include "compute/runtime/backend.h"
#include "harness.h"

enum { CUDA_INPUTS = 12 };

typedef struct cuda_input {
    stk_shape   shape;
    stk_dtype   dtype;     /* NONE: the type under test; F32 where it always is float32 */
    double      low, high; /* both 0: from -1 to 1; integers below high */
    const void *data;      /* instead of drawn numbers: of dtype, or float32 where that is NONE */
} cuda_input;

typedef struct cuda_case {
    const stk_graph_op *op;
    const void         *attrs;
    int                 inputs, outputs; /* outputs 0: as the op has */
    cuda_input          in[CUDA_INPUTS];
    /* Of the largest element of an output: 0: 2e-6, 2e-3 for float16, 1.6e-2 for bfloat16. */
    double     tolerance, tolerance16;
    bool       only_float32, only_16_bits;
    stk_format have; /* of four-dimensional inputs */
} cuda_case;

/* The device that tests share; opened once. */
stk_device *cuda_device(void);
/* Whether that is the emulator, where large cases take minutes. */
bool cuda_is_emulated(void);
/* Results are those of the reference within the tolerance, in every type; nothing is written past
 * the end; padding is zeros; a second run of an own kernel gives the same bits. */
void expect_cuda(const cuda_case *c, const char *file, int line);

#define EXPECT_CUDA(c) expect_cuda((c), __FILE__, __LINE__)
#define NHWC(n, h, w, c) ((stk_shape){.rank = 4, .dim = {n, h, w, c}})
#define VECTOR(n) ((stk_shape){.rank = 1, .dim = {n}})
#define MATRIX(m, n) ((stk_shape){.rank = 2, .dim = {m, n}})

#endif
