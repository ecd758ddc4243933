/* Random numbers and places of a permutation: nanoseconds each. */
#include "base/permutation.h"
#include "base/philox.h"
#include "bench.h"

enum { TIMES = 1000000 };

typedef struct job {
    stk_permutation permutation;
    uint64_t        sum; /* keeps the work alive */
} job;

static void make_streams(void *context)
{
    for (uint64_t i = 0; i < TIMES; i++) {
        stk_random random = stk_random_for(1, 2, i, 3);
        ((job *)context)->sum += stk_random_u32(&random);
    }
}

static void draw(void *context)
{
    stk_random random = stk_random_for(1, 2, 3, 4);
    for (uint64_t i = 0; i < TIMES; i++)
        ((job *)context)->sum += stk_random_u32(&random);
}

static void draw_below(void *context)
{
    stk_random random = stk_random_for(1, 2, 3, 4);
    for (uint64_t i = 0; i < TIMES; i++)
        ((job *)context)->sum += stk_random_below(&random, 1000);
}

static void permute(void *context)
{
    job *j = context;
    for (uint64_t i = 0; i < TIMES; i++)
        j->sum += stk_permutation_at(&j->permutation, i);
}

static void report(const char *name, bench_result r)
{
    printf("%-44s %12.4g ns           (best %.4g, worst %.4g)\n", name, r.median * 1e9 / TIMES,
           r.best * 1e9 / TIMES, r.worst * 1e9 / TIMES);
}

int main(void)
{
    /* Just below a power of four almost every place is inside; just above, one in four. */
    static const uint64_t counts[] = {1281167, (1u << 22) - 1, (1u << 22) + 1, 1ull << 40};
    job                   j = {0};
    report("random/stream and first number", bench_run(make_streams, &j, 9));
    report("random/next number", bench_run(draw, &j, 9));
    report("random/below 1000", bench_run(draw_below, &j, 9));
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        char name[64];
        j.permutation = stk_permutation_of(counts[i], 1, 0);
        snprintf(name, sizeof name, "permutation/place of %llu", (unsigned long long)counts[i]);
        report(name, bench_run(permute, &j, 9));
    }
    return j.sum == 0;
}
