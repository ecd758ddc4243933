/* The pool runs every task once, in order, with per-worker state, and leaves nothing running. */
#include "base/thread_pool.h"

#include "harness.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { TASKS = 5000, MOST_WORKERS = 9 };

typedef struct job {
    stk_task task;
    int      number, runs, worker;
    int      order;   /* the how-manieth it ran */
    int     *clock;   /* atomic */
    int64_t *by_each; /* per-worker sums, no lock */
} job;

static void count(stk_task *task, int worker)
{
    job *j = (job *)task;
    j->runs++;
    j->worker = worker;
    if (j->clock) j->order = __atomic_fetch_add(j->clock, 1, __ATOMIC_RELAXED);
    if (j->by_each) j->by_each[worker] += j->number;
}

static job jobs[TASKS];

static void reset(int *clock, int64_t *by_each)
{
    for (int i = 0; i < TASKS; i++)
        jobs[i] = (job){.task = {.run = count}, .number = i, .clock = clock, .by_each = by_each};
}

static void run_all_with(int threads)
{
    stk_error        err;
    stk_thread_pool *pool;
    int64_t          by_each[MOST_WORKERS] = {0}, sum = 0;
    EXPECT_OK(stk_thread_pool_start(&pool, threads, "pool", &err));
    EXPECT_INT_EQ(threads + 1, stk_thread_pool_workers(pool));
    reset(NULL, by_each);
    for (int i = 0; i < TASKS; i++)
        stk_thread_pool_submit(pool, &jobs[i].task);
    for (int i = 0; i < TASKS; i++)
        stk_thread_pool_wait(pool, &jobs[i].task);
    for (int i = 0; i < TASKS; i++) {
        EXPECT_INT_EQ(1, jobs[i].runs);
        EXPECT(stk_task_done(&jobs[i].task));
        EXPECT(jobs[i].worker >= 0 && jobs[i].worker <= threads);
    }
    for (int i = 0; i <= threads; i++)
        sum += by_each[i];
    EXPECT_INT_EQ((int64_t)TASKS * (TASKS - 1) / 2, sum);
    stk_thread_pool_free(pool);
}

STK_TEST(pool_runs_every_task_once_with_any_number_of_threads)
{
    for (int threads = 0; threads < MOST_WORKERS; threads++)
        run_all_with(threads);
}

STK_TEST(pool_without_threads_runs_tasks_in_order_and_only_while_waiting)
{
    stk_error        err;
    stk_thread_pool *pool;
    int              clock = 0;
    EXPECT_OK(stk_thread_pool_start(&pool, 0, "pool", &err));
    reset(&clock, NULL);
    for (int i = 0; i < 10; i++)
        stk_thread_pool_submit(pool, &jobs[i].task);
    EXPECT(!stk_task_done(&jobs[0].task));
    stk_thread_pool_wait(pool, &jobs[4].task);
    for (int i = 0; i < 10; i++) {
        EXPECT_INT_EQ(i < 5, jobs[i].runs);
        if (i < 5) EXPECT_INT_EQ(i, jobs[i].order);
    }
    stk_thread_pool_free(pool); /* runs the rest */
    for (int i = 5; i < 10; i++)
        EXPECT_INT_EQ(i, jobs[i].order);
}

STK_TEST(pool_runs_what_is_queued_before_it_is_freed)
{
    stk_error        err;
    stk_thread_pool *pool;
    EXPECT_OK(stk_thread_pool_start(&pool, 2, "pool", &err));
    reset(NULL, NULL);
    for (int i = 0; i < TASKS; i++)
        stk_thread_pool_submit(pool, &jobs[i].task);
    stk_thread_pool_free(pool);
    for (int i = 0; i < TASKS; i++)
        EXPECT_INT_EQ(1, jobs[i].runs);
    stk_thread_pool_free(NULL);
}

STK_TEST(task_may_be_submitted_again_when_it_is_done)
{
    stk_error        err;
    stk_thread_pool *pool;
    EXPECT_OK(stk_thread_pool_start(&pool, 2, "pool", &err));
    reset(NULL, NULL);
    for (int round = 0; round < 1000; round++) {
        for (int i = 0; i < 4; i++)
            stk_thread_pool_submit(pool, &jobs[i].task);
        for (int i = 0; i < 4; i++)
            stk_thread_pool_wait(pool, &jobs[i].task);
    }
    for (int i = 0; i < 4; i++)
        EXPECT_INT_EQ(1000, jobs[i].runs);
    stk_thread_pool_free(pool);
}

/* A sliding window over one task per slot, as readers and packers use the pool. */
STK_TEST(window_of_tasks_keeps_its_order)
{
    enum { WINDOW = 8, ROUNDS = 3000 };
    stk_error        err;
    stk_thread_pool *pool;
    EXPECT_OK(stk_thread_pool_start(&pool, 3, "pool", &err));
    reset(NULL, NULL);
    for (int i = 0; i < ROUNDS + WINDOW; i++) {
        job *slot = &jobs[i % WINDOW];
        if (i >= WINDOW) {
            stk_thread_pool_wait(pool, &slot->task);
            EXPECT_INT_EQ(i / WINDOW, slot->runs);
        }
        if (i < ROUNDS) stk_thread_pool_submit(pool, &slot->task);
    }
    stk_thread_pool_free(pool);
}

typedef struct chain {
    stk_task         task;
    stk_thread_pool *pool;
    job             *next;
} chain;

static void submit_next(stk_task *task, int worker)
{
    (void)worker;
    chain *c = (chain *)task;
    stk_thread_pool_submit(c->pool, &c->next->task);
}

STK_TEST(task_may_submit_another_even_while_the_pool_is_freed)
{
    for (int threads = 0; threads < 4; threads++)
        for (int round = 0; round < 50; round++) {
            stk_error        err;
            stk_thread_pool *pool;
            EXPECT_OK(stk_thread_pool_start(&pool, threads, "pool", &err));
            reset(NULL, NULL);
            chain c = {.task = {.run = submit_next}, .pool = pool, .next = &jobs[0]};
            stk_thread_pool_submit(pool, &c.task);
            if (round % 2) {
                stk_thread_pool_wait(pool, &c.task);
                stk_thread_pool_wait(pool, &jobs[0].task);
            }
            stk_thread_pool_free(pool);
            EXPECT_INT_EQ(1, jobs[0].runs);
        }
}

STK_TEST(pool_wakes_from_sleep_for_a_late_task)
{
    stk_error        err;
    stk_thread_pool *pool;
    EXPECT_OK(stk_thread_pool_start(&pool, 2, "pool", &err));
    reset(NULL, NULL);
    for (int i = 0; i < 20; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL); /* all asleep */
        stk_thread_pool_submit(pool, &jobs[i].task);
        while (!stk_task_done(&jobs[i].task)) /* nobody helps */
            nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
        EXPECT(jobs[i].worker < 2);
    }
    stk_thread_pool_free(pool);
}

STK_TEST(pool_refuses_a_negative_number_of_threads)
{
    stk_error        err;
    stk_thread_pool *pool = (stk_thread_pool *)&err;
    EXPECT_STATUS(STK_E_INVALID, stk_thread_pool_start(&pool, -1, "pool", &err));
    EXPECT_CONTAINS("-1 threads", err.message);
    EXPECT(!pool);
}

static stk_status start_and_free(void *context, stk_error *err)
{
    (void)context;
    stk_thread_pool *pool;
    STK_TRY(stk_thread_pool_start(&pool, 2, "pool", err));
    stk_thread_pool_free(pool);
    return STK_OK;
}

STK_TEST(pool_survives_every_failing_allocation)
{
    stk_test_fail_each_allocation(start_and_free, NULL);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

#ifndef SANITIZED /* sanitizers need the address space that this test takes away */

static int threads_alive(void)
{
    int  found = 0;
    DIR *tasks = opendir("/proc/self/task");
    EXPECT(tasks != NULL);
    for (struct dirent *entry; (entry = readdir(tasks));)
        found += entry->d_name[0] != '.';
    closedir(tasks);
    return found;
}

static rlim_t address_space_now(void)
{
    unsigned long pages = 0;
    FILE         *file = fopen("/proc/self/statm", "r");
    EXPECT(file && fscanf(file, "%lu", &pages) == 1);
    fclose(file);
    return (rlim_t)pages * 4096;
}

STK_TEST(pool_that_cannot_start_all_its_threads_leaves_none_running)
{
    stk_error        err;
    stk_thread_pool *pool;
    struct rlimit    before;
    EXPECT_INT_EQ(0, getrlimit(RLIMIT_AS, &before));
    struct rlimit tight = {.rlim_cur = address_space_now() + (80 << 20),
                           .rlim_max = before.rlim_max};
    EXPECT_INT_EQ(0, setrlimit(RLIMIT_AS, &tight)); /* room for a few stacks of 8 MB */
    const stk_status st = stk_thread_pool_start(&pool, 200, "pool", &err);
    setrlimit(RLIMIT_AS, &before);
    EXPECT(st != STK_OK && !pool);
    EXPECT_CONTAINS("cannot start a thread (memory", err.message);
    EXPECT_STR_EQ("pool", err.where);
    EXPECT_INT_EQ(1, threads_alive());
}

#endif
