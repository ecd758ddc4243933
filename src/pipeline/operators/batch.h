/* The parameters of batch, for the pass that fuses it; batches of ragged values. */
#ifndef STK_PIPELINE_OPERATORS_BATCH_H
#define STK_PIPELINE_OPERATORS_BATCH_H

#include "pipeline/operators/operators.h"

typedef struct stk_batch_params {
    int64_t size;
    bool    drop_remainder;
    /* Directly over a map an error counts as an element of its batch and drops that batch; all
     * others stay unchanged. Elsewhere an error ends the current batch, and the next begins after
     * it. Both as in TensorFlow. */
    bool after_map;
} stk_batch_params;

/* Whether batches of such elements are ragged: their values were ragged before an unbatch. */
bool stk_batch_is_ragged(const stk_element_spec *input);
/* stk_dataset_batch for such elements. */
STK_NODISCARD stk_status stk_batch_ragged(stk_dataset **data, int64_t size,
                                          const stk_batch_options *options, stk_error *err);

#endif
