/* Ops tested the same way each: gradients by finite differences on the reference backend, results
 * of other backends against it. */
#ifndef STK_TESTS_OP_SUPPORT_H
#define STK_TESTS_OP_SUPPORT_H

#include "harness.h"

enum { OP_INPUTS = 8, OP_OUTPUTS = 6 };

typedef struct op_input {
    stk_dtype dtype; /* NONE: float32 */
    stk_shape shape;
    double    low, high; /* both 0: from -1 to 1; integers: from low to high - 1 */
    bool      fixed;     /* no gradient is looked at */
    double    wave;      /* not 0: no draw; element i is sin(wave * (i + 1)), the same anywhere */
} op_input;

typedef struct op_case {
    /* Builds from in and gives up to OP_OUTPUTS results in out; returns how many. */
    int (*build)(stk_graph *g, const stk_symbol *in, stk_symbol *out, const void *context);
    const void *context;
    op_input    in[OP_INPUTS];
    int         inputs;
    stk_layout  layout;
    unsigned    passes_off;
} op_case;

/* Every gradient that autodiff gives is that of finite differences, within tolerance (relative to
 * the largest of its tensor). Results must be float32. */
void expect_gradients(const op_case *c, double tolerance, const char *file, int line);
/* The backend gives what the reference gives, results and gradients, within tolerance (relative to
 * the largest element of each result). */
void expect_like_ref(const op_case *c, const char *backend, double tolerance, const char *file,
                     int line);
/* The results (as floats) for inputs drawn with seed: each result's elements in turn. Returns how
 * many were written; out has room for capacity. */
size_t op_results(const op_case *c, const char *backend, uint64_t seed, bool gradients, float *out,
                  size_t capacity);

/* The results, then the gradients of sum(result o * sin(1.7 * (i + 1) + o)), are those given,
 * within tolerance. For inputs that are waves and so can be had in another library too. */
void expect_known(const op_case *c, const float *known, size_t count, double tolerance,
                  const char *file, int line);

#define EXPECT_KNOWN(c, known, tolerance)                                                          \
    expect_known((c), (known), COUNT_OF(known), (tolerance), __FILE__, __LINE__)
#define EXPECT_GRADIENTS(c, tolerance) expect_gradients((c), (tolerance), __FILE__, __LINE__)
#define EXPECT_LIKE_REF(c, backend, tolerance)                                                     \
    expect_like_ref((c), (backend), (tolerance), __FILE__, __LINE__)

#endif
