/* Time. */
#ifndef STK_BASE_CLOCK_H
#define STK_BASE_CLOCK_H

#include <stdint.h>

/* Monotonic nanoseconds. */
uint64_t stk_clock_ns(void);

/* Nanoseconds since 1970, as the system's clock has it: not monotonic. */
uint64_t stk_clock_unix_ns(void);

/* CPU time of the calling thread in nanoseconds: a system call, about 600 ns. */
uint64_t stk_clock_thread_cpu_ns(void);

/* The cheapest steady counter: the time stamp counter if invariant, else stk_clock_ns. */
uint64_t stk_clock_ticks(void);

/* Two readings of both clocks, some time apart, translate ticks to nanoseconds. */
typedef struct stk_clock_pair {
    uint64_t ticks;
    uint64_t ns;
} stk_clock_pair;

stk_clock_pair stk_clock_read_pair(void);

/* ticks as monotonic nanoseconds, on the line through a (earlier) and b. */
uint64_t stk_clock_ticks_to_ns(uint64_t ticks, stk_clock_pair a, stk_clock_pair b);
/* The other way. */
uint64_t stk_clock_ns_to_ticks(uint64_t ns, stk_clock_pair a, stk_clock_pair b);

#endif
