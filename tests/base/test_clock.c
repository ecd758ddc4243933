/* The clocks go forward, agree with each other, and translate. */
#include "base/clock.h"
#include "harness.h"

#include <stdlib.h>
#include <time.h>

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

STK_TEST(clocks_never_go_back)
{
    uint64_t ns = stk_clock_ns(), ticks = stk_clock_ticks();
    for (int i = 0; i < 10000; i++) {
        const uint64_t next_ns = stk_clock_ns(), next_ticks = stk_clock_ticks();
        EXPECT(next_ns >= ns && next_ticks >= ticks);
        ns = next_ns;
        ticks = next_ticks;
    }
}

STK_TEST(ticks_translate_to_nanoseconds_within_a_microsecond)
{
    const stk_clock_pair a = stk_clock_read_pair();
    sleep_ms(30);
    const stk_clock_pair middle = stk_clock_read_pair();
    sleep_ms(30);
    const stk_clock_pair b = stk_clock_read_pair();
    const int64_t        off = (int64_t)(stk_clock_ticks_to_ns(middle.ticks, a, b) - middle.ns);
    EXPECT(llabs(off) < 5000); /* a busy machine may cost a few */
    EXPECT(b.ns - a.ns >= 60000000u);
}

STK_TEST(translation_is_the_line_through_both_pairs_on_either_side)
{
    const stk_clock_pair a = {.ticks = 1000, .ns = 500}, b = {.ticks = 4000, .ns = 1500};
    EXPECT_INT_EQ(500, stk_clock_ticks_to_ns(1000, a, b));
    EXPECT_INT_EQ(1000, stk_clock_ticks_to_ns(2500, a, b));
    EXPECT_INT_EQ(2500, stk_clock_ticks_to_ns(7000, a, b));
    EXPECT_INT_EQ(200, stk_clock_ticks_to_ns(100, a, b));
    EXPECT_INT_EQ(500, stk_clock_ticks_to_ns(7000, a, a)); /* no line: the one point there is */
    const stk_clock_pair late = {.ticks = 10000, .ns = 1}, later = {.ticks = 10010, .ns = 11};
    EXPECT_INT_EQ(0, stk_clock_ticks_to_ns(1, late, later)); /* before time began */
    const stk_clock_pair year = {.ticks = 1ull << 56, .ns = 1ull << 55};
    EXPECT_INT_EQ(1ll << 54, stk_clock_ticks_to_ns(1ull << 55, (stk_clock_pair){0, 0}, year));
}

STK_TEST(thread_cpu_time_counts_work_and_not_sleep)
{
    const uint64_t begin = stk_clock_thread_cpu_ns();
    sleep_ms(50);
    const uint64_t slept = stk_clock_thread_cpu_ns();
    EXPECT(slept - begin < 25000000u);
    while (stk_clock_thread_cpu_ns() - slept < 1000000u) {
    }
}
