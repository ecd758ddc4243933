/* Common tests of passes: results with and without them, and the graphs they build as text. */
#ifndef STK_TESTS_PASS_SUPPORT_H
#define STK_TESTS_PASS_SUPPORT_H

#include "compute/ops/op_support.h"
#include "compute/passes/passes.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Results and gradients on the reference backend are equal with and without the passes in off,
 * within tolerance, relative to the largest of all results. */
static inline void expect_same_without(const op_case *c, unsigned off, double tolerance)
{
    enum { CAPACITY = 1 << 21 };
    op_case without = *c;
    float  *expected = malloc(CAPACITY * sizeof *expected),
          *found = malloc(CAPACITY * sizeof *found);
    without.passes_off = off;
    size_t count = op_results(&without, "ref", 3, true, expected, CAPACITY);
    EXPECT_INT_EQ(count, op_results(c, "ref", 3, true, found, CAPACITY));
    EXPECT(count <= CAPACITY);
    double largest = 1e-6;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs((double)expected[i]));
    for (size_t i = 0; i < count; i++)
        if (!(fabs((double)expected[i] - (double)found[i]) <= tolerance * largest))
            fail_msg("element %zu of %zu: %g, without the passes %g (largest %g)", i, count,
                     (double)found[i], (double)expected[i], largest);
    free(expected);
    free(found);
}

/* A graph's text; freed by the caller. */
static inline char *text_of(const stk_graph *graph)
{
    stk_error err;
    stk_blob  text;
    stk_blob_init(&text, NULL, STK_MEMORY_INDEX);
    EXPECT_OK(stk_graph_dump(graph, &text, &err));
    EXPECT_OK(stk_blob_append(&text, "", 1, &err));
    char *copy = strdup((const char *)text.data);
    stk_blob_release(&text);
    return copy;
}

typedef stk_status pass_run(const stk_graph *, const stk_pass_context *, stk_graph **, stk_error *);

/* The text of graph (which is freed) after run. */
static inline char *text_with(stk_graph *graph, const stk_pass_context *context, pass_run *run)
{
    stk_error  err;
    stk_graph *out;
    EXPECT_OK(run(graph, context, &out, &err));
    char *text = text_of(out);
    stk_graph_free(out);
    stk_graph_free(graph);
    return text;
}

static inline char *text_after(stk_graph *graph, pass_run *run)
{
    return text_with(graph, &(stk_pass_context){.precision = STK_DTYPE_F32}, run);
}

#define EXPECT_TEXT_WITH(expected, graph, context, run)                                            \
    do {                                                                                           \
        char *text_ = text_with(graph, context, run);                                              \
        EXPECT_STR_EQ(expected, text_);                                                            \
        free(text_);                                                                               \
    } while (0)
#define EXPECT_TEXT_AFTER(expected, graph, run)                                                    \
    EXPECT_TEXT_WITH(expected, graph, &(stk_pass_context){.precision = STK_DTYPE_F32}, run)

#endif
