#include "base/clock.h"
#include "base/threads.h"
#include "harness.h"
#include "observe/meter/stage_threads.h"

#include <unistd.h>

static void *burn(void *stop)
{
    while (!__atomic_load_n((bool *)stop, __ATOMIC_ACQUIRE)) {
    }
    return NULL;
}

static void burn_here(uint64_t ns)
{
    const uint64_t end = stk_clock_thread_cpu_ns() + ns;
    while (stk_clock_thread_cpu_ns() < end) {
    }
}

static bool kernel_tells(const stk_stage_threads *threads)
{
    return threads->count && threads->list[0].cpu_ns >= 0;
}

STK_TEST(threads_are_counted_for_the_stage_their_name_tells)
{
    static stk_stage_threads before, now;
    stk_stage_cpu            sums[STK_STAGE_COUNT];
    stk_thread               thread;
    stk_error                err;
    bool                     stop = false;
    EXPECT_OK(stk_thread_start(&thread, "stk-pipeline", burn, &stop, &err));
    stk_stage_threads_read(&before, gettid());
    burn_here(30000000);
    usleep(30000);
    stk_stage_threads_read(&now, gettid());
    __atomic_store_n(&stop, true, __ATOMIC_RELEASE);
    stk_thread_join(&thread);
    stk_stage_threads_since(&before, &now, sums);
    EXPECT(now.count >= 2); /* sanitizers have threads of their own, named like the first */
    EXPECT_INT_EQ(1, sums[STK_STAGE_PREPROCESS].threads);
    EXPECT(sums[STK_STAGE_COMPUTE].threads >= 1);
    EXPECT_INT_EQ(0, sums[STK_STAGE_READ].threads);
    EXPECT(sums[STK_STAGE_READ].cpu_ns < 0);
    if (!kernel_tells(&now)) return;
    EXPECT(sums[STK_STAGE_COMPUTE].cpu_ns > 20e6 && sums[STK_STAGE_COMPUTE].cpu_ns < 60e9);
    EXPECT(sums[STK_STAGE_PREPROCESS].cpu_ns > 0 && sums[STK_STAGE_PREPROCESS].runnable_ns >= 0);
}

STK_TEST(a_team_bears_the_name_of_who_trains)
{
    static stk_stage_threads now;
    stk_stage_cpu            sums[STK_STAGE_COUNT];
    stk_thread               thread;
    stk_error                err;
    bool                     stop = false;
    char                     name[16];
    pthread_getname_np(pthread_self(), name, sizeof name);
    EXPECT_OK(stk_thread_start(&thread, name, burn, &stop, &err));
    stk_stage_threads_read(&now, gettid());
    stk_stage_threads_since(&(stk_stage_threads){0}, &now, sums);
    EXPECT(sums[STK_STAGE_COMPUTE].threads >= 2);
    stk_stage_threads_read(&now, 0);
    stk_stage_threads_since(&(stk_stage_threads){0}, &now, sums);
    EXPECT(sums[STK_STAGE_NONE].threads >= 2);
    __atomic_store_n(&stop, true, __ATOMIC_RELEASE);
    stk_thread_join(&thread);
}

STK_TEST(what_the_kernel_does_not_tell_is_negative)
{
    const stk_stage_threads before = {.count = 1, .list = {{7, STK_STAGE_READ, 100, 5, -1}}};
    const stk_stage_threads now = {
        .count = 2, .list = {{7, STK_STAGE_READ, 150, 9, -1}, {8, STK_STAGE_READ, 30, 1, -1}}};
    stk_stage_cpu sums[STK_STAGE_COUNT];
    stk_stage_threads_since(&before, &now, sums);
    EXPECT_INT_EQ(80, (int)sums[STK_STAGE_READ].cpu_ns);
    EXPECT_INT_EQ(5, (int)sums[STK_STAGE_READ].runnable_ns);
    EXPECT(sums[STK_STAGE_READ].io_ns < 0);
}
