/* Runs shuffle, alone or fused with repeat: consecutive epochs share one buffer. */
#ifndef STK_PIPELINE_OPERATORS_SHUFFLE_EPOCHS_H
#define STK_PIPELINE_OPERATORS_SHUFFLE_EPOCHS_H

#include "pipeline/operators/shuffle.h"
#include "pipeline/operators/shuffle_buffer.h"
#include "pipeline/runtime/run_node.h"

enum { STK_SHUFFLE_EPOCHS = 3 }; /* max epochs in the buffer */

/* One epoch. Its elements in the buffer follow from these numbers alone. */
typedef struct stk_shuffle_epoch {
    uint64_t        pass;
    stk_shuffle_rng draws;
    uint64_t        pulled;  /* elements pulled from the input */
    uint64_t        emitted; /* and returned */
    uint64_t        errors;  /* errors of the input, returned */
    bool            ended;   /* the input ended */
    stk_blob begin; /* the input's position at its opening, with the state of its functions */
} stk_shuffle_epoch;

typedef struct stk_shuffle_state {
    stk_shuffle_buffer buffer;
    stk_shuffle_epoch  epochs[STK_SHUFFLE_EPOCHS]; /* oldest first; the last one is being filled */
    int                live;
    uint64_t           next_pass;
    bool               over;      /* no further epoch begins */
    bool               held_back; /* next epochs are not opened or read early */
    bool               has_error; /* error while reading early, returned in its turn */
    stk_error          error;
} stk_shuffle_state;

stk_status stk_shuffle_run_open(stk_node *node, stk_error *err);
stk_status stk_shuffle_run_next(stk_node *node, stk_element **out, stk_error *err);
void       stk_shuffle_run_close(stk_node *node);
stk_status stk_shuffle_run_save(stk_node *node, stk_state_out *out, stk_error *err);
stk_status stk_shuffle_run_restore(stk_node *node, stk_state_in *in, stk_error *err);

/* Rebuilds epoch's elements in the empty buffer after pulled, emitted and errors results by
 * replaying input, which is at its begin. See shuffle_replay.c. */
STK_NODISCARD stk_status stk_shuffle_replay(stk_shuffle_buffer *buffer, stk_shuffle_epoch *epoch,
                                            stk_node *input, const stk_state_in *in,
                                            stk_error *err);

#endif
