/* Starts the team. libgomp aborts if it cannot start a thread, so as many threads of our own are
 * started first, all at once; libgomp's follow in the memory they free. */
#include "base/threads.h"
#include "compute/cpu/team.h"
#include <stdlib.h>

typedef struct trial {
    pthread_mutex_t start_lock; /* held by the starter until all threads run */
    stk_thread     *threads;
    int             count;
} trial;

static void *wait_for_all(void *context)
{
    trial *t = context;
    pthread_mutex_lock(&t->start_lock);
    pthread_mutex_unlock(&t->start_lock);
    return NULL;
}

static stk_status start_all(trial *t, stk_error *err)
{
    stk_status st = STK_OK;
    pthread_mutex_lock(&t->start_lock);
    for (int i = 0; i < t->count && !st; i++)
        st = stk_thread_start(&t->threads[i], "stk-team", wait_for_all, t, err);
    pthread_mutex_unlock(&t->start_lock);
    for (int i = 0; i < t->count; i++)
        stk_thread_join(&t->threads[i]);
    return st;
}

static void nothing(void *context, int part, int parts)
{
    (void)context, (void)part, (void)parts;
}

stk_status stk_team_open(const stk_team *team, stk_error *err)
{
    trial t = {.start_lock = PTHREAD_MUTEX_INITIALIZER, .count = team->threads - 1};
    if (t.count <= 0) return STK_OK;
    t.threads = calloc((size_t)t.count, sizeof *t.threads);
    if (!t.threads)
        return stk_fail(err, STK_E_NOMEM, "backend", "cpu", "no memory for %d threads", t.count);
    stk_status st = start_all(&t, err);
    pthread_mutex_destroy(&t.start_lock);
    free(t.threads);
    if (!st) stk_team_run(team, nothing, NULL);
    return st;
}
