/* The ledger: what is held, what is refused. */
#include "harness.h"

#include <pthread.h>

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
        if (!stk_ledger_reserve(ledger, memory, bytes, &err))
            stk_ledger_release(ledger, memory, bytes);
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
