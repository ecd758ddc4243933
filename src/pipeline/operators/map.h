/* The parameters of map, for the passes that fuse it. */
#ifndef STK_PIPELINE_OPERATORS_MAP_H
#define STK_PIPELINE_OPERATORS_MAP_H

#include "pipeline/operators/operators.h"

#include <stoker/dataset_operators.h>

typedef struct stk_map_params {
    stk_function *function; /* one reference */
    int64_t       parallel; /* STK_AUTO or at least 1 */
    stk_order     order;
} stk_map_params;

typedef struct stk_filter_params {
    stk_function *function;
} stk_filter_params;

#endif
