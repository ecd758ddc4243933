/* The ledger: what is held, what is refused, who waits. */
#include "harness.h"

#include <pthread.h>
#include <unistd.h>

STK_TEST(ledger_refuses_what_would_pass_the_ceiling_and_says_both_numbers)
{
    stk_error         err;
    stk_ledger       *ledger;
    stk_ledger_report report;
    EXPECT_OK(stk_ledger_new(&ledger, 1000, &err));
    EXPECT_OK(stk_ledger_reserve(ledger, STK_MEMORY_READ, 600, &err));
    EXPECT_STATUS(STK_E_CEILING, stk_ledger_reserve(ledger, STK_MEMORY_CACHE, 401, &err));
    EXPECT_CONTAINS("401", err.message);
    EXPECT_CONTAINS("1000", err.message);
    EXPECT_STATUS(STK_E_CEILING, stk_ledger_reserve(ledger, STK_MEMORY_CACHE, UINT64_MAX, &err));
    EXPECT_OK(stk_ledger_reserve(ledger, STK_MEMORY_CACHE, 400, &err));
    stk_ledger_read(ledger, &report);
    EXPECT_INT_EQ(1000, report.bytes);
    EXPECT_INT_EQ(600, report.lines[STK_MEMORY_READ].bytes);
    EXPECT_INT_EQ(2, report.refusals);
    stk_ledger_release(ledger, STK_MEMORY_READ, 600);
    stk_ledger_release(ledger, STK_MEMORY_CACHE, 400);
    stk_ledger_read(ledger, &report);
    EXPECT_INT_EQ(0, report.bytes);
    EXPECT_INT_EQ(1000, report.peak_bytes);
    stk_ledger_unref(ledger);
}

typedef struct waiter {
    stk_ledger *ledger;
    stk_cancel  cancel;
    stk_status  status;
} waiter;

static void *wait_for_500(void *context)
{
    waiter   *w = context;
    stk_error err;
    w->status = stk_ledger_wait(w->ledger, STK_MEMORY_BATCH, 500, &w->cancel, &err);
    return NULL;
}

/* Until a waiter was refused once, and a little longer: it sleeps then. */
static void let_it_sleep(const stk_ledger *ledger, uint64_t refusals)
{
    stk_ledger_report report;
    do {
        usleep(1000);
        stk_ledger_read(ledger, &report);
    } while (report.refusals < refusals);
    usleep(20000);
}

STK_TEST(sleeping_waiters_are_woken_by_a_release_and_by_a_token)
{
    stk_error err;
    waiter    first = {0}, second = {0};
    pthread_t threads[2];
    EXPECT_OK(stk_ledger_new(&first.ledger, 1000, &err));
    second.ledger = first.ledger;
    EXPECT_OK(stk_ledger_reserve(first.ledger, STK_MEMORY_READ, 800, &err));
    EXPECT_INT_EQ(0, pthread_create(&threads[0], NULL, wait_for_500, &first));
    let_it_sleep(first.ledger, 1);
    EXPECT_INT_EQ(0, pthread_create(&threads[1], NULL, wait_for_500, &second));
    let_it_sleep(first.ledger, 2);
    stk_cancel_request(&second.cancel);
    pthread_join(threads[1], NULL);
    EXPECT_INT_EQ(STK_E_CANCELLED, second.status);
    stk_ledger_release(first.ledger, STK_MEMORY_READ, 300); /* 500 are held, 500 fit */
    pthread_join(threads[0], NULL);
    EXPECT_INT_EQ(STK_OK, first.status);
    stk_ledger_release(first.ledger, STK_MEMORY_READ, 500);
    stk_ledger_release(first.ledger, STK_MEMORY_BATCH, 500);
    stk_ledger_unref(first.ledger);
}

enum { RIVALS = 4, ROUNDS = 20000, RIVALS_CEILING = 1000 };

static void *take_and_give_back(void *context)
{
    stk_ledger *ledger = context;
    stk_error   err;
    uint64_t    number = (uintptr_t)&err; /* any start will do */
    for (int i = 0; i < ROUNDS; i++) {
        number = number * 6364136223846793005u + 1442695040888963407u;
        const uint64_t   bytes = number >> 54; /* up to 1023: some can never fit */
        const stk_memory memory = (stk_memory)(number >> 32 & 3);
        const stk_status st = i % 8 ? stk_ledger_reserve(ledger, memory, bytes, &err)
                                    : stk_ledger_wait(ledger, memory, bytes, NULL, &err);
        if (!st) stk_ledger_release(ledger, memory, bytes);
    }
    return NULL;
}

STK_TEST(rivals_never_pass_the_ceiling_and_give_back_all_they_took)
{
    stk_error         err;
    stk_ledger       *ledger;
    stk_ledger_report report;
    pthread_t         threads[RIVALS];
    EXPECT_OK(stk_ledger_new(&ledger, RIVALS_CEILING, &err));
    for (int i = 0; i < RIVALS; i++)
        EXPECT_INT_EQ(0, pthread_create(&threads[i], NULL, take_and_give_back, ledger));
    for (int i = 0; i < RIVALS; i++)
        pthread_join(threads[i], NULL);
    stk_ledger_read(ledger, &report);
    EXPECT_INT_EQ(0, report.bytes);
    EXPECT(report.peak_bytes <= RIVALS_CEILING);
    EXPECT(report.refusals > 0);
    for (int i = 0; i < STK_MEMORY_COUNT; i++) {
        EXPECT_INT_EQ(0, report.lines[i].bytes);
        EXPECT(report.lines[i].peak_bytes <= RIVALS_CEILING);
    }
    stk_ledger_unref(ledger);
}

STK_TEST(ledger_makes_a_waiter_wait_until_room_is_given_back)
{
    stk_error err;
    waiter    w = {0};
    pthread_t thread;
    EXPECT_OK(stk_ledger_new(&w.ledger, 1000, &err));
    EXPECT_OK(stk_ledger_reserve(w.ledger, STK_MEMORY_READ, 800, &err));
    EXPECT_INT_EQ(0, pthread_create(&thread, NULL, wait_for_500, &w));
    stk_ledger_release(w.ledger, STK_MEMORY_READ, 800);
    pthread_join(thread, NULL);
    EXPECT_INT_EQ(STK_OK, w.status);
    stk_ledger_release(w.ledger, STK_MEMORY_BATCH, 500);
    stk_ledger_unref(w.ledger);
}

STK_TEST(ledger_lets_a_cancelled_waiter_go)
{
    stk_error err;
    waiter    w = {0};
    pthread_t thread;
    EXPECT_OK(stk_ledger_new(&w.ledger, 1000, &err));
    EXPECT_OK(stk_ledger_reserve(w.ledger, STK_MEMORY_READ, 800, &err));
    EXPECT_INT_EQ(0, pthread_create(&thread, NULL, wait_for_500, &w));
    stk_cancel_request(&w.cancel);
    pthread_join(thread, NULL);
    EXPECT_INT_EQ(STK_E_CANCELLED, w.status);
    EXPECT_STATUS(STK_E_CEILING, stk_ledger_wait(w.ledger, STK_MEMORY_READ, 1001, NULL, &err));
    stk_ledger_release(w.ledger, STK_MEMORY_READ, 800);
    stk_ledger_unref(w.ledger);
}

STK_TEST(default_ceiling_is_a_quarter_of_what_the_machine_allows)
{
    stk_error         err;
    stk_ledger       *ledger;
    stk_ledger_report report;
    EXPECT_OK(stk_ledger_new(&ledger, 0, &err));
    stk_ledger_read(ledger, &report);
    EXPECT(report.ceiling_bytes >= 16u << 20);
    stk_ledger_unref(ledger);
}

STK_TEST(null_ledger_takes_everything_and_holds_nothing)
{
    stk_error         err;
    stk_ledger_report report;
    EXPECT_OK(stk_ledger_reserve(NULL, STK_MEMORY_READ, UINT64_MAX, &err));
    stk_ledger_release(NULL, STK_MEMORY_READ, 1);
    stk_ledger_read(NULL, &report);
    EXPECT_INT_EQ(0, report.bytes);
    EXPECT_STR_EQ("read", report.lines[STK_MEMORY_READ].name);
}
