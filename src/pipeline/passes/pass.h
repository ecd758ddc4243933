/* A pass: one rewrite of the plan that preserves values and order. One file each; optimize.c has
 * the list. */
#ifndef STK_PIPELINE_PASSES_PASS_H
#define STK_PIPELINE_PASSES_PASS_H

#include "pipeline/plan/operator.h"

typedef struct stk_pass_info {
    stk_pass    pass; /* 0: always on */
    const char *name;
    /* Rewrites the operator data, whose inputs are rewritten already. *out is a new reference, to
     * data itself if nothing changes. root: data is next to the consumer. */
    stk_status (*rewrite)(stk_dataset *data, bool root, stk_dataset **out, stk_error *err);
} stk_pass_info;

extern const stk_pass_info stk_pass_noop, stk_pass_lower, stk_pass_cache, stk_pass_map_fusion,
    stk_pass_filter_fusion, stk_pass_map_filter, stk_pass_map_batch, stk_pass_parallel_batch,
    stk_pass_shuffle_repeat, stk_pass_io_prefetch, stk_pass_prefetch, stk_pass_image;

/* Called with the plan after each pass that changed it. */
typedef stk_status (*stk_pass_visit)(void *context, const char *pass, stk_dataset *data,
                                     stk_error *err);

/* Runs the passes, a set of bits, in their order. visit may be NULL. */
STK_NODISCARD stk_status stk_optimize(stk_dataset **out, stk_dataset *data, unsigned passes,
                                      stk_pass_visit visit, void *context, stk_error *err);

#endif
