/* What the threads of a run do: compute, wait for bytes, or neither. How long at least one thread
 * computed, and how long some waited for bytes and none computed, is added up for the whole run: it
 * says which of the two a consumer waited for. */
#ifndef STK_PIPELINE_ACTIVITY_H
#define STK_PIPELINE_ACTIVITY_H

#include <pthread.h>
#include <stdint.h>

typedef enum stk_doing { STK_DOING_NOTHING, STK_DOING_COMPUTE, STK_DOING_READ } stk_doing;

typedef struct stk_activity {
    uint64_t counts;         /* atomic: threads that compute, and in the upper half, that wait */
    uint64_t wait_ns, bytes; /* atomic: waits for bytes, summed over threads; bytes that were got */

    pthread_mutex_t lock;  /* of what follows */
    stk_doing       state; /* of the run as a whole: computing goes before waiting */
    uint64_t        since_ns, ns[3];
} stk_activity;

/* What a thread did before. */
typedef struct stk_doing_before {
    stk_activity *of;
    stk_doing     doing;
} stk_doing_before;

void stk_activity_init(stk_activity *activity);
void stk_activity_release(stk_activity *activity);

/* The calling thread does this from now on, until it leaves with what was given back. They nest.
 * About 5 ns, or 60 where the state of the run changes. */
stk_doing_before stk_activity_enter(stk_activity *activity, stk_doing doing);
void             stk_activity_leave(stk_activity *activity, stk_doing_before before);

/* The same for a wait for bytes, which is added up. Waits do not nest. */
void stk_activity_begin_wait(stk_activity *activity);
void stk_activity_end_wait(stk_activity *activity);
/* The sum of all such waits of the calling thread, of any run: for differences. */
uint64_t stk_activity_waited_ns(void);

/* Up to now: computing, waiting for bytes only. */
void stk_activity_read(stk_activity *activity, uint64_t *compute_ns, uint64_t *read_only_ns);

#endif
