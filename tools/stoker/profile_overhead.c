/* What observing costs: steps with it and without it in turn. */
#include "profile_overhead.h"

#include "signals.h"
#include "spread.h"

#include <stoker/overhead.h>

enum { LEVELS = 3, BLOCKS = 4, FEWEST_ROUNDS = 6, SHORT_BLOCK = 2, USUAL_BLOCK = 10 };

typedef struct levels {
    stk_train_bench *bench;
    stk_trace       *trace;
} levels;

static void set(const levels *l, int level, bool on)
{
    if (level == 0)
        stk_meter_switch(stk_train_bench_meter(l->bench), on);
    else
        stk_trace_set_level(l->trace, on ? (stk_trace_level)level : STK_TRACE_OFF);
}

static stk_status time_step(const levels *l, double *seconds, stk_error *err)
{
    const double begin = cli_seconds_now();
    STK_TRY(stk_cancel_check(cli_signals_token(), "profile", err));
    STK_TRY(stk_train_bench_step(l->bench, STK_TRAIN_BENCH_BOTH, err));
    *seconds = cli_seconds_now() - begin;
    return STK_OK;
}

static stk_status measure_level(const levels *l, int level, int block, double seconds,
                                stk_profile_overhead *out, stk_error *err)
{
    const double begin = cli_seconds_now();
    stk_overhead overhead;
    stk_status   st = STK_OK;
    stk_overhead_init(&overhead, block);
    while (!st && cli_seconds_now() - begin < seconds && overhead.rounds < STK_OVERHEAD_ROUNDS) {
        double step = 0;
        set(l, level, stk_overhead_on(&overhead));
        st = time_step(l, &step, err);
        if (!st) stk_overhead_add(&overhead, step * 1e9);
    }
    set(l, level, level == 0);
    *out = stk_overhead_result(&overhead);
    return st;
}

void cli_profile_print_overhead(FILE *out, const stk_profile *profile)
{
    static const char *const names[LEVELS] = {"counters", "stages", "operations"};
    bool                     any = false;
    for (int level = 0; level < LEVELS; level++) {
        const stk_profile_overhead *o = &profile->overhead[level];
        if (!o->measured) continue;
        fprintf(out, any ? ", " : "\nObserving costs, of a step: ");
        fprintf(out, "level %d (%s) %+.2f %% (%+.2f to %+.2f)", level, names[level], 100 * o->share,
                100 * o->low, 100 * o->high);
        any = true;
    }
    fprintf(out, any ? "\n"
                     : "\nWhat observing costs was not measured: a longer --seconds would have to "
                       "hold 150 steps\n");
}

stk_status cli_profile_measure_overhead(stk_profile *profile, stk_train_bench *bench,
                                        stk_trace *trace, double seconds, stk_error *err)
{
    const levels l = {bench, trace};
    double       step = 0;
    stk_trace_set_level(trace, STK_TRACE_OFF);
    for (int i = 0; i < USUAL_BLOCK; i++) /* the first steps fill queues */
        STK_TRY(time_step(&l, &step, err));
    const double a_level = seconds / LEVELS, rounds = BLOCKS * FEWEST_ROUNDS * step;
    /* Steps too long for six rounds tell nothing in this time, and cost little to watch. */
    if (a_level < SHORT_BLOCK * rounds) return STK_OK;
    for (int level = 0; level < LEVELS; level++)
        STK_TRY(measure_level(&l, level, a_level < USUAL_BLOCK * rounds ? SHORT_BLOCK : USUAL_BLOCK,
                              a_level, &profile->overhead[level], err));
    return STK_OK;
}
