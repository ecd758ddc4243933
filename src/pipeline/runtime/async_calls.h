/* The work of a queue whose work waits, as requests on the run's engines, so that no thread that
 * computes is held up: pulls on one (runtime/run_io.h says why), calls on the other, as many at a
 * time as its limit allows. */
#ifndef STK_PIPELINE_RUNTIME_ASYNC_CALLS_H
#define STK_PIPELINE_RUNTIME_ASYNC_CALLS_H

#include "pipeline/runtime/runtime.h"

typedef struct stk_async_calls stk_async_calls;

/* What the requests do; the lock is the queue's. */
typedef struct stk_async_calls_ops {
    void (*pull)(stk_node_queue *queue); /* until there is no more to pull; not under the lock */
    void (*compute)(
        stk_node_queue *queue);          /* one piece, if there still is one; not under the lock */
    void (*look)(stk_node_queue *queue); /* asks for what there is to do; under the lock */
} stk_async_calls_ops;

/* *out is NULL when the run has as many such queues as it can have: then those who compute do the
 * work. */
STK_NODISCARD stk_status stk_async_calls_start(stk_async_calls **out, stk_run *run,
                                               stk_node_queue *queue, pthread_mutex_t *lock,
                                               const stk_async_calls_ops *ops, stk_error *err);
/* Waits for the requests under way and frees. NULL is fine. */
void stk_async_calls_stop(stk_async_calls *calls);

/* Under the lock: there is something to pull, and so many pieces that nobody claimed. */
void stk_async_calls_want(stk_async_calls *calls, bool pull, uint64_t pieces);

/* How many calls go on at a time; cheap. */
int stk_async_calls_limit(const stk_async_calls *calls);
/* Any thread: what is under way should come to an end. */
bool stk_async_calls_stopping(const stk_async_calls *calls);

#endif
