/* A batch that is given out in parts: what unbatch and rebatch hold. Its checkpoint is one of two:
 * the rows that are left, with the input's place after the batch; or, where batches are large, the
 * input's place before it and how many rows were given, so that it is pulled again on restoring. */
#ifndef STK_PIPELINE_SUPPORT_PARTIAL_BATCH_H
#define STK_PIPELINE_SUPPORT_PARTIAL_BATCH_H

#include "pipeline/runtime/run_node.h"

typedef struct stk_partial_batch {
    stk_element *batch; /* NULL: none is held */
    int64_t      row, rows;
    stk_blob     before;      /* the input's place from before batch, where it was saved */
    bool         has_before;  /* before belongs to batch */
    bool         keep_before; /* batches are so large that the place is worth saving */
    bool         began;
} stk_partial_batch;

/* Pulls the next batch from input 0 and holds it; row is 0. Holds none at the end. */
STK_NODISCARD stk_status stk_partial_batch_pull(stk_partial_batch *held, stk_node *node,
                                                stk_error *err);
/* Drops the batch, which is used up. */
void stk_partial_batch_drop(stk_partial_batch *held);
/* For close. */
void stk_partial_batch_release(stk_partial_batch *held);

/* These save and restore input 0 as well. */
STK_NODISCARD stk_status stk_partial_batch_save(const stk_partial_batch *held, stk_node *node,
                                                stk_state_out *out, stk_error *err);
STK_NODISCARD stk_status stk_partial_batch_restore(stk_partial_batch *held, stk_node *node,
                                                   stk_state_in *in, stk_error *err);

#endif
