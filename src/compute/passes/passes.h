/* Rewritings of a graph before it is laid out for a backend, one a file. Each takes a graph and
 * gives a new one that computes the same. */
#ifndef STK_COMPUTE_PASSES_PASSES_H
#define STK_COMPUTE_PASSES_PASSES_H

#include "compute/graph/rewrite.h"

/* What fusing does only where the backend says that it has kernels for it. */
typedef enum stk_fusion {
    STK_FUSION_GRADIENT_SUM = 1 << 0, /* conv2d_grad_input adds another gradient */
    STK_FUSION_MASK_BITS = 1 << 1,    /* bn_apply writes bits, which its gradient reads */
    STK_FUSION_NORM_STATS = 1 << 2,   /* bn_stats and bn_finalize are one */
    STK_FUSION_STATISTICS = 1 << 3,   /* conv2d gives mean and variance of its result */
    STK_FUSION_NORM_POOL = 1 << 4,    /* bn_apply, relu and max_pool are one, and their gradients */
    STK_FUSION_GRAD_NORM = 1 << 5,    /* conv2d_grad_norm */
} stk_fusion;

typedef struct stk_pass_context {
    stk_dtype precision;      /* F32, BF16 or F16 */
    stk_blob *notes;          /* gets lines of text about what was done; NULL: not wanted */
    bool      half_gemm_only; /* 16 bits for convolutions and products, nothing else */
    bool     group_small_ops; /* casts of variables first, updates last, each one after the other */
    unsigned fusions;         /* stk_fusion, what kernels of the backend can do in one */
} stk_pass_context;

typedef struct stk_pass_row {
    const char    *name;
    stk_graph_pass bit; /* 0: cannot be left out */
    const char    *help;
    stk_status (*run)(const stk_graph *from, const stk_pass_context *context, stk_graph **out,
                      stk_error *err);
} stk_pass_row;

/* In the order in which they run; NULL past the end. */
const stk_pass_row *stk_pass_at(size_t index);

stk_status stk_pass_simplify(const stk_graph *from, const stk_pass_context *context,
                             stk_graph **out, stk_error *err);

stk_status stk_pass_fuse(const stk_graph *from, const stk_pass_context *context, stk_graph **out,
                         stk_error *err);
stk_status stk_pass_precision(const stk_graph *from, const stk_pass_context *context,
                              stk_graph **out, stk_error *err);
stk_status stk_pass_schedule(const stk_graph *from, const stk_pass_context *context,
                             stk_graph **out, stk_error *err);

/* Appends a line to the notes, where they are wanted. */
STK_NODISCARD stk_status stk_pass_note(const stk_pass_context *context, stk_error *err,
                                       const char *format, ...) STK_PRINTF(3, 4);

#endif
