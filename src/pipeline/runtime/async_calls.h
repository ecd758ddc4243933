/* Runs the work of a blocking queue as requests of the run's engines, so that no computing thread
 * blocks: pulls on one engine (see run_io.h), calls on the other, up to its limit. */
#ifndef STK_PIPELINE_RUNTIME_ASYNC_CALLS_H
#define STK_PIPELINE_RUNTIME_ASYNC_CALLS_H

#include "pipeline/runtime/runtime.h"

typedef struct stk_async_calls stk_async_calls;

/* Callbacks of the requests; the lock is the queue's. */
typedef struct stk_async_calls_ops {
    void (*pull)(stk_node_queue *queue); /* pulls until the queue is full; not under the lock */
    void (*compute)(
        stk_node_queue *queue); /* computes one piece, if any is left; not under the lock */
    void (*look)(stk_node_queue *queue); /* requests the available work; under the lock */
} stk_async_calls_ops;

/* Sets *out to NULL if the run has no slot for another such queue: threads that compute then do its
 * work. */
STK_NODISCARD stk_status stk_async_calls_start(stk_async_calls **out, stk_run *run,
                                               stk_node_queue *queue, pthread_mutex_t *lock,
                                               const stk_async_calls_ops *ops, stk_error *err);
/* Waits for the requests in flight, then frees. NULL is fine. */
void stk_async_calls_stop(stk_async_calls *calls);

/* Requests a pull and this number of calls. Under the lock. */
void stk_async_calls_want(stk_async_calls *calls, bool pull, uint64_t pieces);

/* Max calls in flight; cheap. */
int stk_async_calls_limit(const stk_async_calls *calls);
/* Whether requests in flight should end. Thread-safe. */
bool stk_async_calls_stopping(const stk_async_calls *calls);

#endif
