/* The parameters of prefetch, for the passes that insert one. */
#ifndef STK_PIPELINE_OPERATORS_PREFETCH_H
#define STK_PIPELINE_OPERATORS_PREFETCH_H

#include "pipeline/operators/operators.h"

typedef struct stk_prefetch_params {
    int64_t count; /* STK_AUTO: tuned */
} stk_prefetch_params;

#endif
