/* The parameters of repeat, for the passes. */
#ifndef STK_PIPELINE_REPEAT_H
#define STK_PIPELINE_REPEAT_H

#include "pipeline/ops/ops.h"

typedef struct stk_repeat_params {
    int64_t count; /* negative: for ever */
} stk_repeat_params;

#endif
