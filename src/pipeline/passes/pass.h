/* A pass: one rewriting of the plan that changes neither values nor order. One file each;
 * optimize.c holds the list. */
#ifndef STK_PIPELINE_PASSES_PASS_H
#define STK_PIPELINE_PASSES_PASS_H

#include "pipeline/plan/operator.h"

typedef struct stk_pass_info {
    stk_pass    pass; /* 0: cannot be switched off */
    const char *name;
    /* Rewrites the stage data, whose inputs are rewritten already. *out is a new reference: to data
     * itself when there is nothing to do. root is true for the stage next to the consumer. */
    stk_status (*rewrite)(stk_dataset *data, bool root, stk_dataset **out, stk_error *err);
} stk_pass_info;

extern const stk_pass_info stk_pass_noop, stk_pass_lower, stk_pass_cache, stk_pass_map_fusion,
    stk_pass_filter_fusion, stk_pass_map_filter, stk_pass_map_batch, stk_pass_parallel_batch,
    stk_pass_shuffle_repeat, stk_pass_io_prefetch, stk_pass_prefetch, stk_pass_image;

/* Told of the plan after each pass that changed it. */
typedef stk_status (*stk_pass_visit)(void *context, const char *pass, stk_dataset *data,
                                     stk_error *err);

/* Runs the passes, given as bits, in their order. visit may be NULL. */
STK_NODISCARD stk_status stk_optimize(stk_dataset **out, stk_dataset *data, unsigned passes,
                                      stk_pass_visit visit, void *context, stk_error *err);

#endif
