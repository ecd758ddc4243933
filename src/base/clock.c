/* Time: the system's clock, and the processor's counter where it ticks steadily. */
#include "base/clock.h"

#include <stdbool.h>
#include <time.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

__extension__ typedef __int128 wide;

static uint64_t read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t stk_clock_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t stk_clock_unix_ns(void)
{
    return read_clock(CLOCK_REALTIME);
}

uint64_t stk_clock_thread_cpu_ns(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

#if defined(__x86_64__)

/* Invariant: the same rate in all power states and on all cores. */
static bool counter_is_invariant(void)
{
    enum { POWER_LEAF = 0x80000007, INVARIANT_TSC = 1 << 8 };
    unsigned eax, ebx, ecx, edx;
    return __get_cpuid((unsigned)POWER_LEAF, &eax, &ebx, &ecx, &edx) && edx & INVARIANT_TSC;
}

uint64_t stk_clock_ticks(void)
{
    enum { UNKNOWN, STEADY, UNSTEADY };
    static int counter = UNKNOWN; /* atomic; every thread finds the same */
    int        kind = __atomic_load_n(&counter, __ATOMIC_RELAXED);
    if (__builtin_expect(kind == UNKNOWN, 0)) {
        kind = counter_is_invariant() ? STEADY : UNSTEADY;
        __atomic_store_n(&counter, kind, __ATOMIC_RELAXED);
    }
    return kind == STEADY ? __rdtsc() : stk_clock_ns();
}

#else

uint64_t stk_clock_ticks(void)
{
    return stk_clock_ns();
}

#endif

/* The thread may lose its core between two readings: of several tries the tightest counts. */
stk_clock_pair stk_clock_read_pair(void)
{
    stk_clock_pair best = {0};
    uint64_t       narrowest = UINT64_MAX;
    for (int i = 0; i < 8; i++) {
        const uint64_t before = stk_clock_ticks(), ns = stk_clock_ns(), after = stk_clock_ticks();
        if (after - before >= narrowest) continue;
        narrowest = after - before;
        best = (stk_clock_pair){.ticks = before + narrowest / 2, .ns = ns};
    }
    return best;
}

/* The point of the line through (from, to) of a and b; what lies before 0 is 0. */
static uint64_t translate(uint64_t value, uint64_t from_a, uint64_t from_b, uint64_t to_a,
                          uint64_t to_b)
{
    if (from_a == from_b) return to_a;
    const int64_t since = (int64_t)(value - from_a); /* negative before a */
    const wide to = (wide)to_a + (wide)since * (int64_t)(to_b - to_a) / (int64_t)(from_b - from_a);
    return to < 0 ? 0 : (uint64_t)to;
}

uint64_t stk_clock_ticks_to_ns(uint64_t ticks, stk_clock_pair a, stk_clock_pair b)
{
    return translate(ticks, a.ticks, b.ticks, a.ns, b.ns);
}

uint64_t stk_clock_ns_to_ticks(uint64_t ns, stk_clock_pair a, stk_clock_pair b)
{
    return translate(ns, a.ns, b.ns, a.ticks, b.ticks);
}
