/* Threads have names and no signals; a gate loses no wake-up. */
#include "base/clock.h"
#include "base/threads.h"
#include "harness.h"

#include <signal.h>
#include <string.h>

typedef struct seen {
    char     name[32];
    sigset_t blocked;
} seen;

static void *look_around(void *context)
{
    seen *s = context;
    pthread_sigmask(SIG_SETMASK, NULL, &s->blocked);
    /* The name is given by the thread that starts this one: it may take a moment. */
    for (int i = 0; i < 10000 && strncmp(s->name, "stoker", 6); i++) {
        pthread_getname_np(pthread_self(), s->name, sizeof s->name);
        nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    }
    return NULL;
}

STK_TEST(thread_has_its_name_cut_to_fit_and_blocks_signals)
{
    stk_error  err;
    stk_thread thread;
    seen       s = {0};
    sigset_t   own;
    EXPECT_OK(stk_thread_start(&thread, "stoker-reader-number-7", look_around, &s, &err));
    stk_thread_join(&thread);
    EXPECT_STR_EQ("stoker-reader-n", s.name);
    EXPECT(sigismember(&s.blocked, SIGINT) && sigismember(&s.blocked, SIGTERM));
    EXPECT(!sigismember(&s.blocked, SIGSEGV));
    pthread_sigmask(SIG_SETMASK, NULL, &own);
    EXPECT(!sigismember(&own, SIGINT));
}

STK_TEST(joining_a_thread_that_never_started_or_twice_does_nothing)
{
    stk_error  err;
    stk_thread thread = {0};
    seen       s = {.name = "stoker"};
    stk_thread_join(&thread);
    EXPECT_OK(stk_thread_start(&thread, "once", look_around, &s, &err));
    stk_thread_join(&thread);
    stk_thread_join(&thread);
}

STK_TEST(gate_gives_up_after_the_time_it_was_given)
{
    stk_error      err;
    stk_eventcount gate;
    EXPECT_OK(stk_eventcount_init(&gate, &err));
    const uint64_t begin = stk_clock_ns();
    stk_eventcount_wait(&gate, stk_eventcount_epoch(&gate), 20000000);
    const uint64_t waited = stk_clock_ns() - begin;
    EXPECT(waited >= 15000000u);
    stk_eventcount_release(&gate);
}

STK_TEST(gate_does_not_wait_when_it_was_signalled_since)
{
    stk_error      err;
    stk_eventcount gate;
    EXPECT_OK(stk_eventcount_init(&gate, &err));
    const uint32_t epoch = stk_eventcount_epoch(&gate);
    stk_eventcount_signal(&gate);
    stk_eventcount_wait(&gate, epoch, 0); /* would hang */
    stk_eventcount_release(&gate);
}

typedef struct table_tennis {
    stk_eventcount gate;
    int            ball; /* atomic: whose turn it is */
    int            rounds;
} table_tennis;

static void play(table_tennis *t, int side)
{
    for (int i = 0; i < t->rounds; i++) {
        for (;;) {
            const uint32_t epoch = stk_eventcount_epoch(&t->gate);
            if (__atomic_load_n(&t->ball, __ATOMIC_ACQUIRE) == side) break;
            stk_eventcount_wait(&t->gate, epoch, 0);
        }
        /* Now and then long enough for the other side to fall asleep. */
        if (i % 50 == 0) nanosleep(&(struct timespec){.tv_nsec = 300000}, NULL);
        __atomic_store_n(&t->ball, !side, __ATOMIC_RELEASE);
        stk_eventcount_signal(&t->gate);
    }
}

static void *play_second(void *context)
{
    play(context, 1);
    return NULL;
}

STK_TEST(gate_loses_no_wake_up_between_two_threads)
{
    stk_error    err;
    stk_thread   thread;
    table_tennis t = {.rounds = 2000};
    EXPECT_OK(stk_eventcount_init(&t.gate, &err));
    EXPECT_OK(stk_thread_start(&thread, "second", play_second, &t, &err));
    play(&t, 0);
    stk_thread_join(&thread);
    EXPECT_INT_EQ(0, t.ball);
    stk_eventcount_release(&t.gate);
}

enum { CROWD = 6 };

typedef struct crowd {
    stk_eventcount gate;
    int            open;   /* atomic */
    int            passed; /* atomic */
} crowd;

static void *pass(void *context)
{
    crowd *c = context;
    for (;;) {
        const uint32_t epoch = stk_eventcount_epoch(&c->gate);
        if (__atomic_load_n(&c->open, __ATOMIC_ACQUIRE)) break;
        stk_eventcount_wait(&c->gate, epoch, 0);
    }
    __atomic_add_fetch(&c->passed, 1, __ATOMIC_RELAXED);
    return NULL;
}

STK_TEST(gate_wakes_all_who_sleep_at_it)
{
    stk_error  err;
    stk_thread threads[CROWD];
    crowd      c = {0};
    EXPECT_OK(stk_eventcount_init(&c.gate, &err));
    for (int i = 0; i < CROWD; i++)
        EXPECT_OK(stk_thread_start(&threads[i], "crowd", pass, &c, &err));
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    EXPECT_INT_EQ(0, __atomic_load_n(&c.passed, __ATOMIC_RELAXED));
    __atomic_store_n(&c.open, 1, __ATOMIC_RELEASE);
    stk_eventcount_signal(&c.gate);
    for (int i = 0; i < CROWD; i++)
        stk_thread_join(&threads[i]);
    EXPECT_INT_EQ(CROWD, c.passed);
    stk_eventcount_release(&c.gate);
}
