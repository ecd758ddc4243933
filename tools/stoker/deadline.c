/* A thread polls the clock and the outer token ten times a second: a signal handler cannot notify a
 * condition. */
#include "deadline.h"

#include <time.h>

enum { LOOK_NS = 100000000 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void look(cli_deadline *d)
{
    const bool late = now() >= d->end;
    if (late) __atomic_store_n(&d->passed, true, __ATOMIC_RELAXED);
    if (late || stk_cancel_requested(d->outer)) stk_cancel_request(&d->token);
}

/* Call with the lock held. */
static void sleep_a_while(cli_deadline *d)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += LOOK_NS;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_cond_timedwait(&d->changed, &d->lock, &until);
}

static void *watch(void *deadline)
{
    cli_deadline *d = deadline;
    pthread_mutex_lock(&d->lock);
    while (!d->over) {
        look(d);
        sleep_a_while(d);
    }
    pthread_mutex_unlock(&d->lock);
    return NULL;
}

stk_status cli_deadline_start(cli_deadline *deadline, double seconds, const stk_cancel *outer,
                              stk_error *err)
{
    pthread_condattr_t monotonic;
    *deadline = (cli_deadline){.outer = outer, .end = now() + seconds};
    pthread_mutex_init(&deadline->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&deadline->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    const int failed = pthread_create(&deadline->thread, NULL, watch, deadline);
    if (failed) return stk_fail_errno(err, failed, "bench", NULL, "start a thread for the time");
    deadline->started = true;
    return STK_OK;
}

void cli_deadline_release(cli_deadline *deadline)
{
    pthread_mutex_lock(&deadline->lock);
    deadline->over = true;
    pthread_cond_broadcast(&deadline->changed);
    pthread_mutex_unlock(&deadline->lock);
    if (deadline->started) pthread_join(deadline->thread, NULL);
    pthread_cond_destroy(&deadline->changed);
    pthread_mutex_destroy(&deadline->lock);
}

bool cli_deadline_passed(const cli_deadline *deadline)
{
    return __atomic_load_n(&deadline->passed, __ATOMIC_RELAXED);
}
