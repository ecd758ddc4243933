/* The pool: one list of tasks under a lock, threads that spin briefly and then sleep for it. */
#include "base/thread_pool.h"

#include "base/spin.h"

#include <stdlib.h>

typedef struct member {
    stk_thread_pool *pool;
    int              worker;
    stk_thread       thread;
} member;

struct stk_thread_pool {
    pthread_mutex_t lock;     /* of the list, sleepers and stopping */
    pthread_cond_t  work;     /* one sleeper is woken per task */
    stk_task       *first;    /* the list: run from the front, */
    stk_task      **last;     /* submitted at the end */
    uint32_t        queued;   /* atomic: its length, for spinning threads without the lock */
    int             sleepers; /* members waiting at work */
    bool            stopping; /* atomic: written under the lock, read by spinning threads */
    stk_eventcount  progress; /* the waiting thread sleeps here; a task was submitted or done */
    bool            has_lock, has_work, has_progress;
    int             threads; /* asked for; never changes */
    member         *members; /* threads of them; a member is its thread's own */
};

/* The lock is held for a few instructions, so spinning for it beats sleeping. */
static stk_status init_lock(stk_thread_pool *pool, stk_error *err)
{
    pthread_mutexattr_t adaptive;
    int                 failure = pthread_mutexattr_init(&adaptive);
    if (!failure) {
        pthread_mutexattr_settype(&adaptive, PTHREAD_MUTEX_ADAPTIVE_NP);
        failure = pthread_mutex_init(&pool->lock, &adaptive);
        pthread_mutexattr_destroy(&adaptive);
    }
    pool->has_lock = !failure;
    if (!failure) failure = pthread_cond_init(&pool->work, NULL);
    pool->has_work = pool->has_lock && !failure;
    return failure ? stk_fail_errno(err, failure, "threads", NULL, "make a pool") : STK_OK;
}

/* NULL when there is none now. */
static stk_task *take(stk_thread_pool *pool)
{
    if (!__atomic_load_n(&pool->queued, __ATOMIC_RELAXED)) return NULL;
    pthread_mutex_lock(&pool->lock);
    stk_task *task = pool->first;
    if (task) {
        pool->first = task->next;
        if (!pool->first) pool->last = &pool->first;
        __atomic_sub_fetch(&pool->queued, 1, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&pool->lock);
    return task;
}

static void run(stk_thread_pool *pool, stk_task *task, int worker)
{
    task->run(task, worker);
    /* The owner may reuse or free the task from here on. */
    __atomic_store_n(&task->done, 1, __ATOMIC_SEQ_CST);
    stk_eventcount_signal(&pool->progress);
}

static bool something_to_do(const stk_thread_pool *pool)
{
    return __atomic_load_n(&pool->queued, __ATOMIC_RELAXED) ||
           __atomic_load_n(&pool->stopping, __ATOMIC_RELAXED);
}

/* Returns when there may be a task; false when there is none and will be none. */
static bool wait_for_work(stk_thread_pool *pool)
{
    stk_spin spin = {0};
    while (!something_to_do(pool) && stk_spin_more(&spin)) {
    }
    pthread_mutex_lock(&pool->lock);
    while (!pool->first && !pool->stopping) {
        pool->sleepers++;
        pthread_cond_wait(&pool->work, &pool->lock);
        pool->sleepers--;
    }
    const bool more = pool->first != NULL;
    pthread_mutex_unlock(&pool->lock);
    return more;
}

static void *work(void *context)
{
    const member *self = context;
    do
        for (stk_task *task; (task = take(self->pool));)
            run(self->pool, task, self->worker);
    while (wait_for_work(self->pool));
    return NULL;
}

static stk_status start_members(stk_thread_pool *pool, const char *name, stk_error *err)
{
    pool->members = calloc((size_t)pool->threads + 1, sizeof *pool->members);
    if (!pool->members)
        return stk_fail(err, STK_E_NOMEM, "threads", name, "no memory for %d threads",
                        pool->threads);
    for (int i = 0; i < pool->threads; i++) {
        member *m = &pool->members[i];
        m->pool = pool;
        m->worker = i;
        STK_TRY(stk_thread_start(&m->thread, name, work, m, err));
    }
    return STK_OK;
}

stk_status stk_thread_pool_start(stk_thread_pool **out, int threads, const char *name,
                                 stk_error *err)
{
    *out = NULL;
    if (threads < 0)
        return stk_fail(err, STK_E_INVALID, "threads", name, "%d threads asked; 0 is the fewest",
                        threads);
    stk_thread_pool *pool = calloc(1, sizeof *pool);
    if (!pool) return stk_fail(err, STK_E_NOMEM, "threads", name, "no memory for a pool");
    pool->threads = threads;
    pool->last = &pool->first;
    stk_status st = init_lock(pool, err);
    if (!st) st = stk_eventcount_init(&pool->progress, err);
    pool->has_progress = !st;
    if (!st) st = start_members(pool, name, err);
    if (st) {
        stk_thread_pool_free(pool);
        return st;
    }
    *out = pool;
    return STK_OK;
}

static void stop_members(stk_thread_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    __atomic_store_n(&pool->stopping, true, __ATOMIC_RELAXED);
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    for (stk_task *task; (task = take(pool));)
        run(pool, task, pool->threads);
    for (int i = 0; i < pool->threads; i++)
        stk_thread_join(&pool->members[i].thread);
}

void stk_thread_pool_free(stk_thread_pool *pool)
{
    if (!pool) return;
    if (pool->members) stop_members(pool);
    if (pool->has_progress) stk_eventcount_release(&pool->progress);
    if (pool->has_work) pthread_cond_destroy(&pool->work);
    if (pool->has_lock) pthread_mutex_destroy(&pool->lock);
    free(pool->members);
    free(pool);
}

int stk_thread_pool_workers(const stk_thread_pool *pool)
{
    return pool->threads + 1;
}

void stk_thread_pool_submit(stk_thread_pool *pool, stk_task *task)
{
    __atomic_store_n(&task->done, 0, __ATOMIC_RELAXED);
    task->next = NULL;
    pthread_mutex_lock(&pool->lock);
    *pool->last = task;
    pool->last = &task->next;
    __atomic_add_fetch(&pool->queued, 1, __ATOMIC_RELAXED);
    if (pool->sleepers) pthread_cond_signal(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    stk_eventcount_signal(&pool->progress); /* the waiting thread helps */
}

void stk_thread_pool_wait(stk_thread_pool *pool, stk_task *task)
{
    while (!stk_task_done(task)) {
        const uint32_t epoch = stk_eventcount_epoch(&pool->progress);
        stk_task      *other = take(pool);
        if (other)
            run(pool, other, pool->threads);
        else if (!stk_task_done(task))
            stk_eventcount_wait(&pool->progress, epoch, 0);
    }
}

bool stk_task_done(const stk_task *task)
{
    return __atomic_load_n(&task->done, __ATOMIC_SEQ_CST);
}
