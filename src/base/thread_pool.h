/* A thread pool that runs tasks in order of submission. A task is a caller's struct that embeds
 * stk_task; submitting allocates nothing. A thread that waits for a task runs other tasks
 * meanwhile, so few cores never idle while there is work. */
#ifndef STK_BASE_THREAD_POOL_H
#define STK_BASE_THREAD_POOL_H

#include <stdbool.h>
#include <stoker/error.h>

typedef struct stk_thread_pool stk_thread_pool;
typedef struct stk_task        stk_task;

struct stk_task {
    /* worker is 0..stk_thread_pool_workers()-1, and the same for all tasks a thread runs; the
     * waiting thread that helps has the last index. Index per-worker state by it. */
    void (*run)(stk_task *task, int worker);
    stk_task *next; /* used by the pool while queued */
    int       done; /* atomic; read by stk_thread_pool_wait */
};

/* threads: besides the caller's; with 0 tasks run only in stk_thread_pool_wait. name: the threads'
 * name. */
STK_NODISCARD stk_status stk_thread_pool_start(stk_thread_pool **out, int threads, const char *name,
                                               stk_error *err);
/* Runs what is still queued, then joins. NULL is fine. */
void stk_thread_pool_free(stk_thread_pool *pool);
/* threads + 1: the number of worker indices. Only one thread may wait (and so help) at a time. */
int stk_thread_pool_workers(const stk_thread_pool *pool);

/* The task must not move until done. It may be submitted again after that. */
void stk_thread_pool_submit(stk_thread_pool *pool, stk_task *task);
/* Returns when task is done, running queued tasks while waiting. */
void stk_thread_pool_wait(stk_thread_pool *pool, stk_task *task);
/* Without waiting. */
bool stk_task_done(const stk_task *task);

#endif
