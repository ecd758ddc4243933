/* The parameters of shard, for the passes. */
#ifndef STK_PIPELINE_OPERATORS_SHARD_H
#define STK_PIPELINE_OPERATORS_SHARD_H

#include "pipeline/operators/operators.h"

typedef struct stk_shard_params {
    int64_t shards, index;
    int64_t others; /* 1: all but that shard */
} stk_shard_params;

#endif
