/* fused_map: what maps and filters become. A chain of functions run ahead on any number of threads,
 * optionally with the batch that follows. Made by passes only. */
#ifndef STK_PIPELINE_OPERATORS_FUSED_MAP_H
#define STK_PIPELINE_OPERATORS_FUSED_MAP_H

#include "pipeline/operators/operators.h"

#include <stoker/dataset_operators.h>

typedef struct stk_fused_function {
    stk_function *function; /* map or predicate; one reference */
    uint64_t      salt;     /* of the original operator, for its random numbers */
    uint64_t     *salts;    /* of all original operators, salt_count of them; NULL: only one */
    size_t        salt_count;
} stk_fused_function;

typedef struct stk_fused_map_params {
    stk_fused_function *steps;
    size_t              count;
    int64_t             parallel; /* STK_AUTO or max concurrent calls */
    stk_order           order;
    int64_t             batch; /* 0: no batching. Only if all functions are maps */
    bool                drop_remainder;
    bool                error_ends_batch; /* as in a batch that is not over a map: batch.h */
    bool                parallel_copy;    /* several threads copy large batches */
} stk_fused_map_params;

/* Makes a dataset of the functions over input; takes new references. */
STK_NODISCARD stk_status stk_fused_map_make(stk_dataset **out, const stk_fused_map_params *params,
                                            stk_dataset *input, stk_error *err);

#endif
