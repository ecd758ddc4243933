/* A short spin before a sleep. Waking a sleeping core costs 15-40 us on a virtual machine, so a
 * thread that expects a change soon polls for about 50 us first. */
#ifndef STK_BASE_SPIN_H
#define STK_BASE_SPIN_H

#include "base/clock.h"
#include "base/threads.h"

enum { STK_SPIN_NS = 50000, STK_SPINS_PER_LOOK = 32 };

typedef struct stk_spin {
    uint32_t turns;
    uint64_t end; /* set at the first clock read */
} stk_spin;

/* Pauses for a moment; false once the time is up. Begin with a zeroed struct. */
static inline bool stk_spin_more(stk_spin *spin)
{
    stk_spin_pause();
    if (++spin->turns % STK_SPINS_PER_LOOK) return true;
    const uint64_t now = stk_clock_ns();
    if (!spin->end) spin->end = now + STK_SPIN_NS;
    return now < spin->end;
}

#endif
