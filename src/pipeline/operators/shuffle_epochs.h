/* The running of shuffle, alone or fused with repeat: epochs that stand one behind the other in one
 * buffer. */
#ifndef STK_PIPELINE_OPERATORS_SHUFFLE_EPOCHS_H
#define STK_PIPELINE_OPERATORS_SHUFFLE_EPOCHS_H

#include "pipeline/operators/shuffle.h"
#include "pipeline/operators/shuffle_buffer.h"
#include "pipeline/runtime/run_node.h"

enum { STK_SHUFFLE_EPOCHS = 3 }; /* in the buffer at a time, at most */

/* One epoch: which elements it has in the buffer follows from these numbers alone. */
typedef struct stk_shuffle_epoch {
    uint64_t        pass;
    stk_shuffle_rng draws;
    uint64_t        pulled;  /* elements taken from the input */
    uint64_t        emitted; /* and given */
    uint64_t        errors;  /* of the input, given */
    bool            ended;   /* the input did */
    stk_blob        begin; /* the input's place when it was opened: what stateful functions held */
} stk_shuffle_epoch;

typedef struct stk_shuffle_state {
    stk_shuffle_buffer buffer;
    stk_shuffle_epoch  epochs[STK_SHUFFLE_EPOCHS]; /* in order; the last one is being read */
    int                live;
    uint64_t           next_pass;
    bool               over;      /* no further pass is begun */
    bool               held_back; /* not to be begun or read early */
    bool               has_error; /* met while reading early, to be given in its place */
    stk_error          error;
} stk_shuffle_state;

stk_status stk_shuffle_run_open(stk_node *node, stk_error *err);
stk_status stk_shuffle_run_next(stk_node *node, stk_element **out, stk_error *err);
void       stk_shuffle_run_close(stk_node *node);
stk_status stk_shuffle_run_save(stk_node *node, stk_state_out *out, stk_error *err);
stk_status stk_shuffle_run_restore(stk_node *node, stk_state_in *in, stk_error *err);

/* Fills the empty buffer with what epoch has in it after pulled, emitted and errors results, by
 * reading input, which is at its begin, again. shuffle_replay.c */
STK_NODISCARD stk_status stk_shuffle_replay(stk_shuffle_buffer *buffer, stk_shuffle_epoch *epoch,
                                            stk_node *input, const stk_state_in *in,
                                            stk_error *err);

#endif
