/* fused_map: what maps and filters become. A chain of functions run ahead on any number of threads,
 * optionally with the batch that follows. Made by passes only. */
#ifndef STK_PIPELINE_OPERATORS_FUSED_MAP_H
#define STK_PIPELINE_OPERATORS_FUSED_MAP_H

#include "pipeline/operators/operators.h"

#include <stoker/dataset_operators.h>

typedef struct stk_fused_function {
    stk_function *function; /* map or test; one reference */
    uint64_t      salt;     /* of the stage it was, for its random numbers */
    uint64_t     *salts;    /* of all the stages it was, salt_count of them; NULL: only one */
    size_t        salt_count;
} stk_fused_function;

typedef struct stk_fused_map_params {
    stk_fused_function *steps;
    size_t              count;
    int64_t             parallel; /* STK_AUTO or the most calls at a time */
    stk_order           order;
    int64_t             batch; /* 0: elements stay single. Only where all steps are maps */
    bool                drop_remainder;
    bool error_ends_batch; /* as in a batch that does not stand over a map: batch.h */
    bool parallel_copy;    /* large batches are copied by several threads */
} stk_fused_map_params;

/* A dataset of steps over input; takes new references. */
STK_NODISCARD stk_status stk_fused_map_make(stk_dataset **out, const stk_fused_map_params *params,
                                            stk_dataset *input, stk_error *err);

#endif
