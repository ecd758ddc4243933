/* The parameters of skip, for the passes. */
#ifndef STK_PIPELINE_OPERATORS_SKIP_H
#define STK_PIPELINE_OPERATORS_SKIP_H

#include "pipeline/operators/operators.h"

typedef struct stk_skip_params {
    int64_t count; /* negative: all */
} stk_skip_params;

#endif
