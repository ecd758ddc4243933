/* Graph passes before layout assignment, one per file. Each builds an equivalent graph. */
#ifndef STK_COMPUTE_PASSES_PASSES_H
#define STK_COMPUTE_PASSES_PASSES_H

#include "compute/graph/rewrite.h"

/* Fusions that need kernels of the backend. */
typedef enum stk_fusion {
    STK_FUSION_GRADIENT_SUM = 1 << 0, /* conv2d_grad_input takes an addend */
    STK_FUSION_MASK_BITS = 1 << 1,    /* bn_apply writes mask bits, which its gradient reads */
    STK_FUSION_NORM_STATS = 1 << 2,   /* bn_stats_finalize */
    STK_FUSION_STATISTICS = 1 << 3,   /* conv2d returns mean and variance of its result */
    STK_FUSION_NORM_POOL = 1 << 4,    /* bn_pool and its gradients */
    STK_FUSION_GRAD_NORM = 1 << 5,    /* conv2d_grad_norm */
} stk_fusion;

typedef struct stk_pass_context {
    stk_dtype precision;       /* F32, BF16 or F16 */
    stk_blob *notes;           /* receives lines about the changes; may be NULL */
    bool      half_gemm_only;  /* half precision for convolutions and GEMMs only */
    bool      group_small_ops; /* casts of variables first, updates last, adjacent */
    unsigned  fusions;         /* stk_fusion bits that the backend has kernels for */
} stk_pass_context;

typedef struct stk_pass_row {
    const char    *name;
    stk_graph_pass bit; /* 0: mandatory */
    const char    *help;
    stk_status (*run)(const stk_graph *from, const stk_pass_context *context, stk_graph **out,
                      stk_error *err);
} stk_pass_row;

/* In order of execution; NULL past the end. */
const stk_pass_row *stk_pass_at(size_t index);

stk_status stk_pass_simplify(const stk_graph *from, const stk_pass_context *context,
                             stk_graph **out, stk_error *err);

stk_status stk_pass_fuse(const stk_graph *from, const stk_pass_context *context, stk_graph **out,
                         stk_error *err);
stk_status stk_pass_precision(const stk_graph *from, const stk_pass_context *context,
                              stk_graph **out, stk_error *err);
stk_status stk_pass_schedule(const stk_graph *from, const stk_pass_context *context,
                             stk_graph **out, stk_error *err);

/* Appends a line to context->notes, if set. */
STK_NODISCARD stk_status stk_pass_note(const stk_pass_context *context, stk_error *err,
                                       const char *format, ...) STK_PRINTF(3, 4);

#endif
