/* What the threads of a run do: compute, wait for bytes, or neither. How long at least one thread
 * computed, and how long some waited for bytes and none computed, is added up for the whole run: it
 * says which of the two a consumer waited for. */
#ifndef STK_PIPELINE_RUNTIME_THREAD_ACTIVITY_H
#define STK_PIPELINE_RUNTIME_THREAD_ACTIVITY_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stoker/trace.h>

typedef enum stk_thread_state {
    STK_DOING_NOTHING,
    STK_DOING_COMPUTE,
    STK_DOING_READ
} stk_thread_state;

typedef struct stk_thread_activity {
    uint64_t counts;         /* atomic: threads that compute, and in the upper half, that wait */
    uint64_t wait_ns, bytes; /* atomic: waits for bytes, summed over threads; bytes that were got */

    pthread_mutex_t  lock;  /* of what follows */
    stk_thread_state state; /* of the run as a whole: computing goes before waiting */
    uint64_t         since_ns, ns[3];
    stk_trace       *trace; /* waits for bytes are spans of S1 in it; NULL: none; never changes */
} stk_thread_activity;

/* What a thread did before. */
typedef struct stk_thread_state_before {
    stk_thread_activity *of;
    stk_thread_state     doing;
} stk_thread_state_before;

void stk_thread_activity_init(stk_thread_activity *activity, stk_trace *trace);
void stk_thread_activity_release(stk_thread_activity *activity);

/* The calling thread does this from now on, until it leaves with what was given back. They nest.
 * About 5 ns, or 60 where the state of the run changes. */
stk_thread_state_before stk_thread_activity_enter(stk_thread_activity *activity,
                                                  stk_thread_state     doing);
void stk_thread_activity_leave(stk_thread_activity *activity, stk_thread_state_before before);

/* The same for a wait for bytes, which is added up. Waits do not nest. */
void stk_thread_activity_begin_wait(stk_thread_activity *activity);
void stk_thread_activity_end_wait(stk_thread_activity *activity);
/* The sum of all such waits of the calling thread, of any run: for differences. */
uint64_t stk_thread_activity_waited_ns(void);

/* A wait of the calling thread on its way into the trace; all zero when nothing is recorded. */
typedef struct stk_wait_mark {
    stk_trace_thread *trace;
    uint64_t          ticks, ns, read_only_ns;
} stk_wait_mark;

/* The calling thread consumes what the run gives: of its waits only what nothing hid is S1, as in
 * stk_thread_activity_read. Of other threads, all that they wait for bytes is. */
void          stk_thread_activity_consume(stk_thread_activity *activity);
stk_wait_mark stk_thread_activity_mark_wait(stk_thread_activity *activity);
/* reads: it waited for bytes itself, and not for other threads. */
void stk_thread_activity_record_wait(stk_thread_activity *activity, const stk_wait_mark *mark,
                                     bool reads);

/* Up to now: computing, waiting for bytes only. */
void stk_thread_activity_read(stk_thread_activity *activity, uint64_t *compute_ns,
                              uint64_t *read_only_ns);

#endif
