/* The envelope of a checkpoint: identity and checksum. */
#ifndef STK_PIPELINE_ITERATOR_ITERATOR_CHECKPOINT_H
#define STK_PIPELINE_ITERATOR_ITERATOR_CHECKPOINT_H

#include "pipeline/runtime/run_node.h"

typedef struct stk_checkpoint {
    uint64_t fingerprint; /* of the optimised plan */
    uint64_t seed, generation;
    uint64_t elements; /* returned so far */
    uint64_t after;    /* results to skip after the root's state */
} stk_checkpoint;

/* Appends a checkpoint of root. On failure out is unchanged. */
STK_NODISCARD stk_status stk_checkpoint_write(stk_blob *out, const stk_checkpoint *head,
                                              stk_node *root, stk_error *err);
/* The same with a root's state from another checkpoint. */
STK_NODISCARD stk_status stk_checkpoint_write_state(stk_blob *out, const stk_checkpoint *head,
                                                    stk_bytes state, stk_error *err);
/* Checks everything but the nodes' states; *in is then at the root's state. */
STK_NODISCARD stk_status stk_checkpoint_read(stk_bytes saved, stk_checkpoint *head,
                                             stk_state_in *in, const stk_dataset *plan,
                                             stk_error *err);

#endif
