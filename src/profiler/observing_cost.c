/* The cost of observing: blocks of steps with it and without it in turn. */
#include "base/clock.h"
#include "profiler/profiler_internal.h"

#include <stoker/overhead.h>

enum { LEVELS = 3, BLOCKS = 4, MIN_ROUNDS = 6, SHORT_BLOCK = 2, DEFAULT_BLOCK = 10 };

typedef struct levels {
    stk_train_bench  *bench;
    stk_trace        *trace;
    const stk_cancel *cancel;
} levels;

static double seconds_since(uint64_t begin)
{
    return (double)(stk_clock_ns() - begin) / 1e9;
}

static void set(const levels *l, int level, bool on)
{
    if (level == 0)
        stk_meter_switch(stk_train_bench_meter(l->bench), on);
    else
        stk_trace_set_level(l->trace, on ? (stk_trace_level)level : STK_TRACE_OFF);
}

static stk_status time_step(const levels *l, double *seconds, stk_error *err)
{
    const uint64_t begin = stk_clock_ns();
    STK_TRY(stk_cancel_check(l->cancel, "profile", err));
    STK_TRY(stk_train_bench_step(l->bench, STK_TRAIN_BENCH_BOTH, err));
    *seconds = seconds_since(begin);
    return STK_OK;
}

static stk_status measure_level(const levels *l, int level, int block, double seconds,
                                stk_profile_overhead *out, stk_error *err)
{
    const uint64_t begin = stk_clock_ns();
    stk_overhead   overhead;
    stk_status     st = STK_OK;
    stk_overhead_init(&overhead, block);
    while (!st && seconds_since(begin) < seconds && overhead.rounds < STK_OVERHEAD_ROUNDS) {
        double step = 0;
        set(l, level, stk_overhead_on(&overhead));
        st = time_step(l, &step, err);
        if (!st) stk_overhead_add(&overhead, step * 1e9);
    }
    set(l, level, level == 0);
    *out = stk_overhead_result(&overhead);
    return st;
}

stk_status stk_profiler_measure_observing(stk_profile *profile, stk_train_bench *bench,
                                          stk_trace *trace, double seconds,
                                          const stk_cancel *cancel, stk_error *err)
{
    const levels l = {bench, trace, cancel};
    double       step = 0;
    stk_trace_set_level(trace, STK_TRACE_OFF);
    for (int i = 0; i < DEFAULT_BLOCK; i++) /* the first steps fill queues */
        STK_TRY(time_step(&l, &step, err));
    const double a_level = seconds / LEVELS, rounds = BLOCKS * MIN_ROUNDS * step;
    /* Steps too long for six rounds tell nothing in this time, and cost little to watch. */
    if (a_level < SHORT_BLOCK * rounds) return STK_OK;
    for (int level = 0; level < LEVELS; level++)
        STK_TRY(measure_level(&l, level,
                              a_level < DEFAULT_BLOCK * rounds ? SHORT_BLOCK : DEFAULT_BLOCK,
                              a_level, &profile->overhead[level], err));
    return STK_OK;
}
