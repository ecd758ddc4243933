/* Work for nothing. */
#include "train/faults/burn.h"
#include "base/clock.h"

#include <errno.h>
#include <time.h>

/* Each round waits for the one before it, so that no processor does several at a time. */
void stk_burn(double rounds)
{
    uint64_t number = 1;
    for (uint64_t left = (uint64_t)rounds; left; left--) {
        number = number * 6364136223846793005u + 1442695040888963407u;
        __asm__ volatile("" : "+r"(number));
    }
}

/* The fastest of several: others were disturbed. */
double stk_burn_measure(void)
{
    enum { TRIES = 16, ROUNDS = 100000 };
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        const uint64_t begin = stk_clock_ns();
        stk_burn(ROUNDS);
        const uint64_t ns = stk_clock_ns() - begin;
        if (ns < best) best = ns;
    }
    return ROUNDS * 1e9 / (double)(best ? best : 1);
}

void stk_burn_sleep(double seconds)
{
    struct timespec left = {.tv_sec = (time_t)seconds};
    left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
    while (nanosleep(&left, &left) == -1 && errno == EINTR) {
    }
}
