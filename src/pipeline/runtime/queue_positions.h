/* Where a queue's consumer is, in terms of its input: saved places of the input, taken now and then
 * while pulling, and what was given since. So a checkpoint holds nothing of what is buffered. */
#ifndef STK_PIPELINE_RUNTIME_QUEUE_POSITIONS_H
#define STK_PIPELINE_RUNTIME_QUEUE_POSITIONS_H

#include "pipeline/runtime/run_node.h"

typedef struct stk_saved_position stk_saved_position;

typedef struct stk_input_range {
    uint64_t first, count;
} stk_input_range;

typedef struct stk_input_ranges {
    stk_input_range *list;
    size_t           count, capacity;
} stk_input_ranges;

typedef struct stk_queue_positions {
    stk_saved_position *first, **last; /* oldest first; under the queue's lock */
    bool                always; /* before every pull: the input does not come the same way again */
    size_t              count;  /* of them */
    uint64_t            noted;  /* the puller's: the number of the last */
    uint64_t            noted_ns, cost_ns; /* the puller's: when the last was taken, what it took */
    /* The consumer's: */
    uint64_t         low;    /* every input below was given */
    stk_input_ranges beyond; /* given although an older one was not: relaxed order */
    stk_input_range  part;   /* given of the unit at hand */
    bool             lost;   /* there was no memory to write down what was given */
    /* Since restoring: */
    stk_input_ranges before; /* given before the checkpoint, past the place it begins at */
} stk_queue_positions;

void stk_queue_positions_init(stk_queue_positions *positions);
void stk_queue_positions_release(stk_queue_positions *positions);

/* Before pulling input number: saves the input's place if it is time to. Takes lock to add it. */
void stk_queue_positions_note(stk_queue_positions *positions, stk_node *input, uint64_t number,
                              pthread_mutex_t *lock);

/* The consumer had all of a unit; saved places that are no longer needed go, under lock. */
void stk_queue_positions_unit_returned(stk_queue_positions *positions, uint64_t first,
                                       uint64_t count, pthread_mutex_t *lock);
/* The consumer had the first count of the unit at hand. */
void stk_queue_positions_slice_returned(stk_queue_positions *positions, uint64_t first,
                                        uint64_t count);
/* Whether the consumer had input number before the checkpoint. */
bool stk_queue_positions_was_returned(const stk_queue_positions *positions, uint64_t number);

/* The lock is held. untouched: nothing was pulled yet, and pulled is the number of the input's next
 * element. */
STK_NODISCARD stk_status stk_queue_positions_save(const stk_queue_positions *positions,
                                                  stk_node *input, uint64_t pulled, bool untouched,
                                                  stk_state_out *out, stk_error *err);
/* *number is that of the input's next element. */
STK_NODISCARD stk_status stk_queue_positions_restore(stk_queue_positions *positions,
                                                     stk_node *input, uint64_t *number,
                                                     stk_state_in *in, stk_error *err);

#endif
