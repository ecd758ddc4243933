/* Measuring: repeated runs, median and spread. Header-only: each benchmark is one program. */
#ifndef STK_BENCH_BENCH_H
#define STK_BENCH_BENCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double bench_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline int bench_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct bench_result {
    double median, best, worst; /* seconds of one run */
} bench_result;

/* Runs run(context) rounds times (at most 64) after one warm-up. */
static inline bench_result bench_run(void (*run)(void *context), void *context, int rounds)
{
    double seconds[64];
    if (rounds > 64) rounds = 64;
    run(context);
    for (int i = 0; i < rounds; i++) {
        const double begin = bench_seconds();
        run(context);
        seconds[i] = bench_seconds() - begin;
    }
    qsort(seconds, (size_t)rounds, sizeof seconds[0], bench_compare);
    return (bench_result){seconds[rounds / 2], seconds[0], seconds[rounds - 1]};
}

/* One line that people and scripts read: NAME MEDIAN UNIT (best .. worst). amount is what one run
 * did, in units. */
static inline void bench_print(const char *name, bench_result r, double amount, const char *unit)
{
    printf("%-44s %12.4g %-12s (best %.4g, worst %.4g)\n", name, amount / r.median, unit,
           amount / r.best, amount / r.worst);
}

#endif
