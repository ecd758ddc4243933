/* What it costs to hand work over: tasks through the pool, pointers through the ring. */
#include "base/ring.h"
#include "base/thread_pool.h"
#include "base/threads.h"
#include "bench.h"

enum { TASKS = 100000, WINDOW = 64, ITEMS = 200000 };

typedef struct job {
    stk_thread_pool *pool;
    stk_ring        *ring;
    stk_task         tasks[WINDOW];
    int              window;
} job;

static void nothing(stk_task *task, int worker)
{
    (void)task;
    (void)worker;
}

static void run_tasks(void *context)
{
    job *j = context;
    for (int i = 0; i < TASKS + j->window; i++) {
        stk_task *task = &j->tasks[i % j->window];
        if (i >= j->window) stk_thread_pool_wait(j->pool, task);
        if (i < TASKS) stk_thread_pool_submit(j->pool, task);
    }
}

static void *take_all(void *context)
{
    void *item;
    for (int i = 0; i < ITEMS; i++)
        if (!stk_ring_pop(((job *)context)->ring, &item, NULL)) break;
    return NULL;
}

static void pass_items(void *context)
{
    job       *j = context;
    stk_thread taker;
    stk_error  err;
    if (stk_thread_start(&taker, "taker", take_all, j, &err)) exit(1);
    for (int i = 0; i < ITEMS; i++)
        if (!stk_ring_push(j->ring, j, NULL)) break;
    stk_thread_join(&taker);
}

static void report(const char *name, bench_result r, double count)
{
    printf("%-44s %12.4g ns           (best %.4g, worst %.4g)\n", name, r.median * 1e9 / count,
           r.best * 1e9 / count, r.worst * 1e9 / count);
}

int main(void)
{
    static job j;
    stk_error  err;
    char       name[64];
    for (int i = 0; i < WINDOW; i++)
        j.tasks[i].run = nothing;
    for (int threads = 0; threads <= 2; threads++)
        for (int window = 1; window <= WINDOW; window *= 64) {
            if (stk_thread_pool_start(&j.pool, threads, "bench", &err)) return 1;
            j.window = window;
            snprintf(name, sizeof name, "pool/%d threads/%d tasks ahead", threads, window);
            report(name, bench_run(run_tasks, &j, 9), TASKS);
            stk_thread_pool_free(j.pool);
        }
    for (size_t capacity = 1; capacity <= 64; capacity *= 8) {
        if (stk_ring_new(&j.ring, capacity, &err)) return 1;
        snprintf(name, sizeof name, "ring/capacity %zu", capacity);
        report(name, bench_run(pass_items, &j, 9), ITEMS);
        stk_ring_free(j.ring);
    }
    return 0;
}
