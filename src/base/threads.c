/* Threads that are named and deaf to signals, and the gate. */
#include "base/threads.h"

#include "base/spin.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

/* All but those that the thread itself causes: blocked, they would kill without a report. */
static sigset_t signals_for_others(void)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    sigset_t         set;
    sigfillset(&set);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        sigdelset(&set, own[i]);
    return set;
}

stk_status stk_thread_start(stk_thread *thread, const char *name, void *(*run)(void *context),
                            void *context, stk_error *err)
{
    thread->running = false;
    /* The new thread inherits the mask, so there is no moment in which it could take a signal. */
    const sigset_t others = signals_for_others();
    sigset_t       before;
    pthread_sigmask(SIG_SETMASK, &others, &before);
    const int failure = pthread_create(&thread->id, NULL, run, context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failure)
        return stk_fail_errno(err, failure, "threads", name,
                              "start a thread (memory or the number of threads that are allowed "
                              "may be used up)");
    char kept[16];
    snprintf(kept, sizeof kept, "%s", name);
    pthread_setname_np(thread->id, kept);
    thread->running = true;
    return STK_OK;
}

void stk_thread_join(stk_thread *thread)
{
    if (!thread->running) return;
    pthread_join(thread->id, NULL);
    thread->running = false;
}

stk_status stk_eventcount_init(stk_eventcount *gate, stk_error *err)
{
    *gate = (stk_eventcount){0};
    pthread_condattr_t monotonic;
    int                failure = pthread_condattr_init(&monotonic);
    if (failure) return stk_fail_errno(err, failure, "threads", NULL, "make a gate");
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    failure = pthread_cond_init(&gate->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if (!failure && (failure = pthread_mutex_init(&gate->lock, NULL)))
        pthread_cond_destroy(&gate->changed);
    return failure ? stk_fail_errno(err, failure, "threads", NULL, "make a gate") : STK_OK;
}

void stk_eventcount_release(stk_eventcount *gate)
{
    pthread_cond_destroy(&gate->changed);
    pthread_mutex_destroy(&gate->lock);
}

uint32_t stk_eventcount_epoch(const stk_eventcount *gate)
{
    return __atomic_load_n(&gate->epoch, __ATOMIC_SEQ_CST);
}

static struct timespec time_of(uint64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / 1000000000u),
                             .tv_nsec = (long)(ns % 1000000000u)};
}

/* A sleeper first counts itself, then looks at the epoch; a signaller first moves the epoch, then
 * looks for sleepers. In the one order of sequential consistency one of them sees the other. */
static void sleep_at(stk_eventcount *gate, uint32_t epoch, uint64_t end_ns)
{
    const struct timespec end = time_of(end_ns);
    int                   failure = 0;
    pthread_mutex_lock(&gate->lock);
    __atomic_add_fetch(&gate->sleepers, 1, __ATOMIC_SEQ_CST);
    while (!failure && stk_eventcount_epoch(gate) == epoch)
        failure = end_ns ? pthread_cond_timedwait(&gate->changed, &gate->lock, &end)
                         : pthread_cond_wait(&gate->changed, &gate->lock);
    __atomic_sub_fetch(&gate->sleepers, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&gate->lock);
}

void stk_eventcount_wait(stk_eventcount *gate, uint32_t epoch, uint64_t timeout_ns)
{
    const uint64_t end = timeout_ns ? stk_clock_ns() + timeout_ns : 0;
    stk_spin       spin = {0};
    while (stk_eventcount_epoch(gate) == epoch)
        if (!stk_spin_more(&spin)) {
            sleep_at(gate, epoch, end);
            return;
        }
}

void stk_eventcount_signal(stk_eventcount *gate)
{
    __atomic_add_fetch(&gate->epoch, 1, __ATOMIC_SEQ_CST);
    if (!__atomic_load_n(&gate->sleepers, __ATOMIC_SEQ_CST)) return;
    pthread_mutex_lock(&gate->lock);
    pthread_cond_broadcast(&gate->changed);
    pthread_mutex_unlock(&gate->lock);
}
