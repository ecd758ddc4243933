/* The parameters of batch, for the pass that fuses it. */
#ifndef STK_PIPELINE_BATCH_H
#define STK_PIPELINE_BATCH_H

#include "pipeline/ops/ops.h"

typedef struct stk_batch_params {
    int64_t size;
    bool    drop_remainder;
    /* Directly over a map an error has a place in its batch and costs that batch, so that all
     * other batches stay as they were; elsewhere it ends the batch at hand, and the next one begins
     * after it. Both are TensorFlow's. */
    bool after_map;
} stk_batch_params;

#endif
