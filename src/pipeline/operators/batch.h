/* The parameters of batch, for the pass that fuses it; batches of ragged values. */
#ifndef STK_PIPELINE_OPERATORS_BATCH_H
#define STK_PIPELINE_OPERATORS_BATCH_H

#include "pipeline/operators/operators.h"

typedef struct stk_batch_params {
    int64_t size;
    bool    drop_remainder;
    /* Directly over a map an error has a place in its batch and costs that batch, so that all
     * other batches stay as they were; elsewhere it ends the batch at hand, and the next one begins
     * after it. Both are TensorFlow's. */
    bool after_map;
} stk_batch_params;

/* Whether a batch of such elements has ragged values: those that were ragged before. */
bool stk_batch_is_ragged(const stk_element_spec *input);
/* Then stk_dataset_batch is this. */
STK_NODISCARD stk_status stk_batch_ragged(stk_dataset **data, int64_t size,
                                          const stk_batch_options *options, stk_error *err);

#endif
