/* The parameters of skip, for the passes. */
#ifndef STK_PIPELINE_SKIP_H
#define STK_PIPELINE_SKIP_H

#include "pipeline/ops/ops.h"

typedef struct stk_skip_params {
    int64_t count; /* negative: all */
} stk_skip_params;

#endif
