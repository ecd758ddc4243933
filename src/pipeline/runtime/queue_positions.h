/* The consumer's position in terms of the queue's input: positions of the input, saved now and then
 * while pulling, and the inputs returned since. Checkpoints therefore hold no buffered element. */
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
    bool     always; /* before every pull: the input cannot be replayed in the same order */
    size_t   count;  /* saved positions */
    uint64_t noted;  /* puller's thread: index of the last saved position */
    uint64_t noted_ns, cost_ns; /* puller's thread: time and cost of the last save */
    /* Consumer's thread: */
    uint64_t         low;    /* every input below was returned */
    stk_input_ranges beyond; /* returned before an older one: relaxed order */
    stk_input_range  part;   /* returned inputs of the current unit */
    bool             lost;   /* out of memory while recording returned inputs */
    /* After a restore: */
    stk_input_ranges before; /* returned before the checkpoint, past its position */
} stk_queue_positions;

void stk_queue_positions_init(stk_queue_positions *positions);
void stk_queue_positions_release(stk_queue_positions *positions);

/* Saves the input's position if it is time to, before input number is pulled. Takes lock to add it.
 */
void stk_queue_positions_note(stk_queue_positions *positions, stk_node *input, uint64_t number,
                              pthread_mutex_t *lock);

/* The consumer received all of a unit; drops obsolete positions under lock. */
void stk_queue_positions_unit_returned(stk_queue_positions *positions, uint64_t first,
                                       uint64_t count, pthread_mutex_t *lock);
/* The consumer received the first count items of the current unit. */
void stk_queue_positions_slice_returned(stk_queue_positions *positions, uint64_t first,
                                        uint64_t count);
/* Whether the consumer received input number before the checkpoint. */
bool stk_queue_positions_was_returned(const stk_queue_positions *positions, uint64_t number);

/* Under the lock. untouched: nothing was pulled; pulled is the index of the input's next element.
 */
STK_NODISCARD stk_status stk_queue_positions_save(const stk_queue_positions *positions,
                                                  stk_node *input, uint64_t pulled, bool untouched,
                                                  stk_state_out *out, stk_error *err);
/* Sets *number to the index of the input's next element. */
STK_NODISCARD stk_status stk_queue_positions_restore(stk_queue_positions *positions,
                                                     stk_node *input, uint64_t *number,
                                                     stk_state_in *in, stk_error *err);

#endif
