/* The parameters of shuffle and of shuffle fused with repeat, for the passes. */
#ifndef STK_PIPELINE_OPERATORS_SHUFFLE_H
#define STK_PIPELINE_OPERATORS_SHUFFLE_H

#include "pipeline/operators/operators.h"

#include <stoker/dataset_operators.h>

typedef struct stk_shuffle_params {
    int64_t             buffer; /* or STK_BUFFER_EPOCH */
    stk_shuffle_options options;
    int64_t             count; /* epochs; 1 in a plain shuffle, negative: infinitely */
    uint64_t            salt;  /* of the fused shuffle; 0: the plan's */
} stk_shuffle_params;

/* repeat(shuffle(input), count) as one operator with the same elements in the same order. shuffle
 * is a dataset of stk_operator_shuffle, count as in stk_repeat_params. */
STK_NODISCARD stk_status stk_shuffle_repeat_make(stk_dataset **out, stk_dataset *shuffle,
                                                 int64_t count, stk_error *err);

#endif
