/* The activity of a run's threads: computing, blocked on I/O, or neither. Sums the time in which at
 * least one thread computed, and the time in which some were blocked on I/O and none computed.
 * Together they tell which of the two the consumer waited for. */
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
    uint64_t counts;         /* atomic: threads that compute; upper half: that are blocked */
    uint64_t wait_ns, bytes; /* atomic: I/O waits, summed over threads; bytes read */

    pthread_mutex_t  lock;  /* of the fields below */
    stk_thread_state state; /* of the whole run: computing takes precedence */
    uint64_t         since_ns, ns[3];
    stk_trace       *trace; /* I/O waits are spans of S1 in it; NULL: none; immutable */
} stk_thread_activity;

/* The former state of a thread. */
typedef struct stk_thread_state_before {
    stk_thread_activity *of;
    stk_thread_state     doing;
} stk_thread_state_before;

void stk_thread_activity_init(stk_thread_activity *activity, stk_trace *trace);
void stk_thread_activity_release(stk_thread_activity *activity);

/* Sets the calling thread's state until leave is called with the returned value. Calls nest. About
 * 5 ns, or 60 if the state of the run changes. */
stk_thread_state_before stk_thread_activity_enter(stk_thread_activity *activity,
                                                  stk_thread_state     doing);
void stk_thread_activity_leave(stk_thread_activity *activity, stk_thread_state_before before);

/* The same for an I/O wait, which is added up. Waits do not nest. */
void stk_thread_activity_begin_wait(stk_thread_activity *activity);
void stk_thread_activity_end_wait(stk_thread_activity *activity);
/* Sum of the I/O waits of the calling thread in all runs; subtract two to get an interval. */
uint64_t stk_thread_activity_waited_ns(void);

/* A wait of the calling thread to be traced; all zero if nothing is recorded. */
typedef struct stk_wait_mark {
    stk_trace_thread *trace;
    uint64_t          ticks, ns, read_only_ns;
} stk_wait_mark;

/* Marks the calling thread as the consumer: of its waits only the exposed part is S1, as in
 * stk_thread_activity_read. For other threads every I/O wait is S1. */
void          stk_thread_activity_consume(stk_thread_activity *activity);
stk_wait_mark stk_thread_activity_mark_wait(stk_thread_activity *activity);
/* reads: the wait was for I/O, not for other threads. */
void stk_thread_activity_record_wait(stk_thread_activity *activity, const stk_wait_mark *mark,
                                     bool reads);

/* Sums so far: computing; blocked on I/O only. */
void stk_thread_activity_read(stk_thread_activity *activity, uint64_t *compute_ns,
                              uint64_t *read_only_ns);

#endif
