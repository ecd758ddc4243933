/* Results of other programs, for tensors computed from a short formula. */
#ifndef STK_TESTS_KNOWN_VALUES_H
#define STK_TESTS_KNOWN_VALUES_H

#include "compute/ops/op_support.h"
#include <math.h>
#include <stdlib.h>

/* Element i is (i * step) % modulus - modulus / 2: small integers with exact sums. In PyTorch: p =
 * lambda n, step, mod: ((torch.arange(n) * step) % mod - mod // 2).float() */
static inline stk_symbol pattern(stk_graph *g, stk_shape shape, int step, int modulus)
{
    size_t count = 1;
    for (int i = 0; i < shape.rank; i++)
        count *= (size_t)shape.dim[i];
    float *data = malloc((count + 1) * sizeof *data);
    for (size_t i = 0; i < count; i++)
        data[i] = (float)((int)(i * (size_t)step % (size_t)modulus) - modulus / 2);
    stk_symbol symbol = stk_graph_constant(g, "pattern", STK_DTYPE_F32, shape, data);
    free(data);
    return symbol;
}

/* The gradients of sum(y * pattern(step, modulus)) by of. */
static inline void pattern_gradients(stk_graph *g, stk_symbol y, int step, int modulus,
                                     const stk_symbol *of, size_t count, stk_symbol *gradients)
{
    stk_symbol column = stk_reshape(g, y, stk_shape_2d(-1, 1));
    stk_shape  row = stk_shape_2d(1, stk_symbol_shape(g, column).dim[0]);
    stk_symbol sum = stk_matmul(g, pattern(g, row, step, modulus), column, NULL);
    stk_graph_gradients(g, stk_reshape(g, sum, stk_shape_scalar()), STK_NO_SYMBOL, of, count,
                        gradients);
}

/* All results of c in sequence equal expected, in units of 1 / unit, so that fractions are
 * integers. */
static inline void expect_values(const op_case *c, const float *expected, size_t count, double unit,
                                 double tolerance, const char *file, int line)
{
    float *found = calloc(count + 1, sizeof *found);
    stk_expect_int((int64_t)count, (int64_t)op_results(c, "ref", 1, false, found, count),
                   "how many results", file, line);
    for (size_t i = 0; i < count; i++)
        if (!(fabs((double)found[i] - (double)expected[i] / unit) <= tolerance)) {
            print_error("element %zu is %g, not %g\n", i, (double)found[i],
                        (double)expected[i] / unit);
            _assert_true(0, "known values", file, line);
        }
    free(found);
}

#define EXPECT_VALUES(c, expected, unit, tolerance)                                                \
    expect_values((c), (expected), COUNT_OF(expected), (unit), (tolerance), __FILE__, __LINE__)

#endif
