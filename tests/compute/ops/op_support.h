/* Common tests of ops: gradients by finite differences on the reference backend; results of other
 * backends against it. */
#ifndef STK_TESTS_OP_SUPPORT_H
#define STK_TESTS_OP_SUPPORT_H

#include "harness.h"

enum { OP_INPUTS = 8, OP_OUTPUTS = 6 };

typedef struct op_input {
    stk_dtype dtype; /* NONE: float32 */
    stk_shape shape;
    double    low, high; /* both 0: from -1 to 1; integers: from low to high - 1 */
    bool      fixed;     /* its gradient is not checked */
    double    wave;      /* not 0: element i is sin(wave * (i + 1)) instead of random, reproducible
                            elsewhere */
} op_input;

typedef struct op_case {
    /* Builds the case from in; stores up to OP_OUTPUTS results in out and returns their count. */
    int (*build)(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context);
    const void *context;
    op_input    in[OP_INPUTS];
    int         inputs;
    stk_layout  layout;
    unsigned    passes_off;
} op_case;

/* All gradients equal finite differences within tolerance, relative to the largest of their tensor.
 * Results must be float32. */
void expect_gradients(const op_case *c, double tolerance, const char *file, int line);
/* Results and gradients of the backend equal the reference's within tolerance, relative to the
 * largest element of each result. */
void expect_like_ref(const op_case *c, const char *backend, double tolerance, const char *file,
                     int line);
/* Results as floats for inputs drawn with seed, in sequence. Returns the number written; capacity
 * is that of out. */
size_t op_results(const op_case *c, const char *backend, uint64_t seed, bool gradients, float *out,
                  size_t capacity);

/* Results, then gradients of sum(result o * sin(1.7 * (i + 1) + o)), equal known within tolerance.
 * For inputs that are waves, which other libraries can reproduce. */
void expect_known(const op_case *c, const float *known, size_t count, double tolerance,
                  const char *file, int line);

#define EXPECT_KNOWN(c, known, tolerance)                                                          \
    expect_known((c), (known), COUNT_OF(known), (tolerance), __FILE__, __LINE__)
#define EXPECT_GRADIENTS(c, tolerance) expect_gradients((c), (tolerance), __FILE__, __LINE__)
#define EXPECT_LIKE_REF(c, backend, tolerance)                                                     \
    expect_like_ref((c), (backend), (tolerance), __FILE__, __LINE__)

#endif
