/* The parameters of repeat, for the passes. */
#ifndef STK_PIPELINE_OPERATORS_REPEAT_H
#define STK_PIPELINE_OPERATORS_REPEAT_H

#include "pipeline/operators/operators.h"

typedef struct stk_repeat_params {
    int64_t count; /* negative: infinitely */
} stk_repeat_params;

#endif
