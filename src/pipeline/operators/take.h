/* The parameters of take, for the passes. */
#ifndef STK_PIPELINE_OPERATORS_TAKE_H
#define STK_PIPELINE_OPERATORS_TAKE_H

#include "pipeline/operators/operators.h"

typedef struct stk_take_params {
    int64_t count; /* negative: all */
} stk_take_params;

#endif
