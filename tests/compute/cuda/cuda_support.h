/* Compares kernels of the CUDA backend with the op's reference, in float32, float16 and bfloat16:
 * on the emulator, or on a GPU if the real plug-in is loaded. */
#ifndef STK_TESTS_CUDA_SUPPORT_H
#define STK_TESTS_CUDA_SUPPORT_H

#include "compute/runtime/backend.h"
#include "harness.h"

enum { CUDA_INPUTS = 12 };

typedef struct cuda_input {
    stk_shape   shape;
    stk_dtype   dtype;     /* NONE: the type under test; F32 for inputs that are always float32 */
    double      low, high; /* both 0: from -1 to 1; integers below high */
    const void *data;      /* instead of random numbers: of dtype, or float32 for NONE */
} cuda_input;

typedef struct cuda_case {
    const stk_graph_op *op;
    const void         *attrs;
    int                 inputs, outputs; /* outputs 0: all of the op's */
    cuda_input          in[CUDA_INPUTS];
    /* Relative to the largest element of an output; 0: 2e-6, 2e-3 for float16, 1.6e-2 for
     * bfloat16. */
    double     tolerance, tolerance16;
    bool       only_float32, only_16_bits;
    stk_format have; /* of inputs of rank 4 */
} cuda_case;

/* The device shared by all tests. */
stk_device *cuda_device(void);
/* Whether it is the emulator, on which large cases take minutes. */
bool cuda_is_emulated(void);
/* Results equal the reference's within the tolerance in every type; no write is out of bounds;
 * padding is zero; a second run of a native kernel yields the same bits. */
void expect_cuda(const cuda_case *c, const char *file, int line);

#define EXPECT_CUDA(c) expect_cuda((c), __FILE__, __LINE__)
#define NHWC(n, h, w, c) ((stk_shape){.rank = 4, .dim = {n, h, w, c}})
#define VECTOR(n) ((stk_shape){.rank = 1, .dim = {n}})
#define MATRIX(m, n) ((stk_shape){.rank = 2, .dim = {m, n}})

#endif
