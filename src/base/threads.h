/* Threads, the cores they may use, and short waits. Every thread has a name and one owner that
 * joins it. A child of fork has none of its parent's threads: it may only exec or exit. */
#ifndef STK_BASE_THREADS_H
#define STK_BASE_THREADS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stoker/error.h>

typedef struct stk_thread {
    pthread_t id;
    bool      running;
} stk_thread;

/* name (15 characters are kept) shows in top and gdb. Signals are blocked in the new thread, so
 * that Ctrl-C always reaches the main one. */
STK_NODISCARD stk_status stk_thread_start(stk_thread *thread, const char    *name,
                                          void *(*run)(void *context), void *context,
                                          stk_error *err);
/* Joins the thread; no-op if it never started. */
void stk_thread_join(stk_thread *thread);

/* A hint to the processor inside a spin loop. */
static inline void stk_spin_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* An eventcount: threads wait on it for a condition of the caller's. Waiting spins briefly first:
 * waking a sleeping core costs 15-40 us on a virtual machine. */
typedef struct stk_eventcount {
    pthread_mutex_t lock;
    pthread_cond_t  changed;
    uint32_t        epoch; /* atomic: incremented by every signal */
    uint32_t        sleepers;
} stk_eventcount;

STK_NODISCARD stk_status stk_eventcount_init(stk_eventcount *gate, stk_error *err);
void                     stk_eventcount_release(stk_eventcount *gate);
/* Read before testing the condition; pass it to wait, so that no signal in between is missed. */
uint32_t stk_eventcount_epoch(const stk_eventcount *gate);
/* Returns once signalled since epoch was read, or after timeout_ns (0: never). May return early:
 * test the condition again. */
void stk_eventcount_wait(stk_eventcount *gate, uint32_t epoch, uint64_t timeout_ns);
/* Wakes all waiting threads. Cheap if none sleeps. */
void stk_eventcount_signal(stk_eventcount *gate);

#endif
