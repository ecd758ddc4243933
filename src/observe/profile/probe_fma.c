/* Arithmetic without memory traffic: enough independent chains to keep the units busy. */
#include "observe/profile/probe.h"

enum { CHAINS = 16, ROUNDS = 1 << 16 };

double stk_probe_fma_plain(void)
{
    float sums[CHAINS], factor = 0.999f, more = 0.001f;
    for (int c = 0; c < CHAINS; c++)
        sums[c] = (float)c;
    for (int i = 0; i < ROUNDS; i++) {
        for (int c = 0; c < CHAINS; c++)
            sums[c] = sums[c] * factor + more;
        __asm__ volatile("" : "+m"(sums)); /* keeps the rounds separate */
    }
    return 2.0 * CHAINS * ROUNDS;
}
