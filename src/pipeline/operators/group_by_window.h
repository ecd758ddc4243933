/* Shared by group_by_window and bucket_by_length. */
#ifndef STK_PIPELINE_OPERATORS_GROUP_BY_WINDOW_H
#define STK_PIPELINE_OPERATORS_GROUP_BY_WINDOW_H

#include "pipeline/operators/operators.h"

typedef struct stk_group_params {
    stk_function *key, *reduce; /* one reference each */
    stk_function *window_size;  /* NULL: fixed_size */
    int64_t       fixed_size;
} stk_group_params;

/* Appends op (one of the two) with new references to the functions. */
STK_NODISCARD stk_status stk_group_append(stk_dataset **data, const stk_operator *op,
                                          const stk_group_params *params, stk_error *err);

#endif
