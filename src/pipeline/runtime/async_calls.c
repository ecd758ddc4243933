/* Requests of queues. A request is not bound to a piece of work: when it runs it takes the oldest
 * unclaimed piece, so the work that the consumer waits for comes first. */
#include "pipeline/runtime/async_calls.h"

#include "pipeline/runtime/run_io.h"

#include <stdlib.h>

typedef struct call call;
struct call {
    stk_io_request   request; /* first: run and done are handed this */
    stk_async_calls *owner;
    call            *next; /* spare ones */
};

struct stk_async_calls {
    stk_run                   *run;
    stk_node_queue            *queue;
    const stk_async_calls_ops *ops;
    stk_io                    *engine, *pulls;

    pthread_mutex_t *lock;     /* the queue's: of all below */
    pthread_cond_t   quiet;    /* the last request came back */
    bool             stopping; /* atomic: written under the lock */
    call             pull;     /* at most one at a time */
    bool             pull_out; /* it is with the engine */
    call             first;    /* a call that needs no memory, so that there always is one */
    call            *spare;
    uint64_t         out;     /* calls with the engine */
    uint64_t         unbegun; /* of those, that have not run yet */
};

bool stk_async_calls_stopping(const stk_async_calls *calls)
{
    return __atomic_load_n(&calls->stopping, __ATOMIC_RELAXED);
}

int stk_async_calls_limit(const stk_async_calls *calls)
{
    return stk_io_limit(calls->engine);
}

static void run_pull(stk_io_request *request)
{
    stk_async_calls *calls = ((call *)request)->owner;
    if (!stk_async_calls_stopping(calls)) calls->ops->pull(calls->queue);
}

static void run_call(stk_io_request *request)
{
    stk_async_calls *calls = ((call *)request)->owner;
    pthread_mutex_lock(calls->lock);
    calls->unbegun--;
    pthread_mutex_unlock(calls->lock);
    if (!stk_async_calls_stopping(calls)) calls->ops->compute(calls->queue);
}

/* The lock is held. What is stopping may be freed once it is given up. */
static void come_back(stk_async_calls *calls)
{
    if (!calls->stopping)
        calls->ops->look(calls->queue);
    else if (!calls->pull_out && !calls->out)
        pthread_cond_broadcast(&calls->quiet);
}

static void pull_done(stk_io_request *request)
{
    stk_async_calls *calls = ((call *)request)->owner;
    pthread_mutex_t *lock = calls->lock;
    pthread_mutex_lock(lock);
    calls->pull_out = false;
    come_back(calls);
    pthread_mutex_unlock(lock);
}

static void call_done(stk_io_request *request)
{
    call            *one = (call *)request;
    stk_async_calls *calls = one->owner;
    pthread_mutex_t *lock = calls->lock;
    pthread_mutex_lock(lock);
    if (request->status) calls->unbegun--; /* dropped: it never ran */
    one->next = calls->spare;
    calls->spare = one;
    calls->out--;
    come_back(calls);
    pthread_mutex_unlock(lock);
}

static void init_call(call *one, stk_async_calls *calls)
{
    *one = (call){.request = {.run = run_call, .done = call_done}, .owner = calls};
}

stk_status stk_async_calls_start(stk_async_calls **out, stk_run *run, stk_node_queue *queue,
                                 pthread_mutex_t *lock, const stk_async_calls_ops *ops,
                                 stk_error *err)
{
    stk_io *engine, *pulls;
    *out = NULL;
    STK_TRY(stk_run_engine(run, &engine, err));
    STK_TRY(stk_run_acquire_puller(run, &pulls, err));
    if (!pulls) return STK_OK;
    stk_async_calls *calls = calloc(1, sizeof *calls);
    if (!calls) {
        stk_run_return_puller(run);
        return stk_fail(err, STK_E_NOMEM, "pipeline", NULL, "no memory for a queue");
    }
    calls->run = run;
    calls->queue = queue;
    calls->ops = ops;
    calls->engine = engine;
    calls->pulls = pulls;
    calls->lock = lock;
    pthread_cond_init(&calls->quiet, NULL);
    init_call(&calls->first, calls);
    calls->spare = &calls->first;
    calls->pull = (call){.request = {.run = run_pull, .done = pull_done}, .owner = calls};
    *out = calls;
    return STK_OK;
}

void stk_async_calls_stop(stk_async_calls *calls)
{
    if (!calls) return;
    pthread_mutex_lock(calls->lock);
    __atomic_store_n(&calls->stopping, true, __ATOMIC_RELAXED);
    while (calls->pull_out || calls->out)
        pthread_cond_wait(&calls->quiet, calls->lock);
    pthread_mutex_unlock(calls->lock);
    for (call *one = calls->spare, *next; one; one = next) {
        next = one->next;
        if (one != &calls->first) free(one);
    }
    pthread_cond_destroy(&calls->quiet);
    stk_run_return_puller(calls->run);
    free(calls);
}

/* NULL without memory: those that are out go on. */
static call *take_spare(stk_async_calls *calls)
{
    call *one = calls->spare;
    if (one) {
        calls->spare = one->next;
        return one;
    }
    one = malloc(sizeof *one);
    if (one) init_call(one, calls);
    return one;
}

/* Twice the limit: only requests that wait show the engine that its limit is too low. */
void stk_async_calls_want(stk_async_calls *calls, bool pull, uint64_t pieces)
{
    if (calls->stopping) return;
    if (pull && !calls->pull_out) {
        calls->pull_out = true;
        stk_io_submit(calls->pulls, &calls->pull.request);
    }
    const uint64_t max = 2 * (uint64_t)stk_async_calls_limit(calls);
    while (calls->unbegun < pieces && calls->out < max) {
        call *one = take_spare(calls);
        if (!one) break;
        calls->unbegun++;
        calls->out++;
        stk_io_submit(calls->engine, &one->request);
    }
}
