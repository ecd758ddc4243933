/* What recording costs at levels 1 and 2, beside the same steps of training without:
 *     bench_levels DATA [SECONDS] [MODEL]
 * Batches of 64 (of LeNet), on one thread, so that the cores' sharing does not add noise. */
#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <stoker/overhead.h>
#include <stoker/train_bench.h>

static int fail(const stk_error *err)
{
    char line[768];
    fprintf(stderr, "bench_levels: %s\n", stk_error_line(err, line, sizeof line));
    return 1;
}

static stk_status settle(stk_train_recipe *recipe, stk_train_data *data, const char *path,
                         const char *model, stk_error *err)
{
    const char *const settings[][2] = {{"data.batch", "64"},
                                       {"model.name", model},
                                       {"knobs.threads", "1"},
                                       {"knobs.input_threads", "1"}};
    stk_train_recipe_init(recipe);
    STK_TRY(stk_train_recipe_set(recipe, "data.path", path, "DATA", err));
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        STK_TRY(stk_train_recipe_set(recipe, settings[i][0], settings[i][1], "bench", err));
    STK_TRY(stk_train_data_read(data, recipe, err));
    return stk_train_resolve(recipe, data, NULL, err);
}

static stk_status measure(stk_train_bench *bench, stk_trace *trace, stk_trace_level level,
                          double seconds, stk_overhead *overhead, stk_error *err)
{
    const uint64_t end = stk_clock_ns() + (uint64_t)(seconds * 1e9);
    stk_overhead_init(overhead, 5);
    while (stk_clock_ns() < end) {
        stk_trace_set_level(trace, stk_overhead_on(overhead) ? level : STK_TRACE_OFF);
        const uint64_t begin = stk_clock_ns();
        STK_TRY(stk_train_bench_step(bench, STK_TRAIN_BENCH_BOTH, err));
        stk_overhead_add(overhead, (double)(stk_clock_ns() - begin));
    }
    return STK_OK;
}

static stk_status run(const char *path, double seconds, const char *model, stk_error *err)
{
    static stk_train_recipe recipe;
    static stk_overhead     overhead;
    stk_train_data          data;
    stk_trace              *trace;
    stk_train_bench        *bench;
    STK_TRY(settle(&recipe, &data, path, model, err));
    STK_TRY(stk_trace_new(&trace, NULL, err));
    const stk_train_bench_options options = {.trace = trace};
    stk_status                    st = stk_train_bench_open(&bench, &recipe, &data, &options, err);
    for (int level = STK_TRACE_STAGES; !st && level <= STK_TRACE_OPS; level++) {
        st = measure(bench, trace, (stk_trace_level)level, seconds / 2, &overhead, err);
        const stk_profile_overhead o = stk_overhead_result(&overhead);
        if (!st)
            printf("level %d: %+.3f %% of a step (%+.3f to %+.3f, 95 %%), %d rounds of A B B A, "
                   "step %.2f ms\n",
                   level, 100 * o.share, 100 * o.low, 100 * o.high, overhead.rounds,
                   overhead.blocks[0] / 1e6);
    }
    stk_train_bench_free(bench);
    stk_trace_free(trace);
    stk_train_data_release(&data);
    return st;
}

int main(int argc, char **argv)
{
    stk_error err;
    if (argc < 2) {
        fprintf(stderr, "usage: bench_levels DATA [SECONDS] [MODEL]\n");
        return 2;
    }
    const double seconds = argc > 2 ? atof(argv[2]) : 20;
    return run(argv[1], seconds, argc > 3 ? argv[3] : "lenet", &err) ? fail(&err) : 0;
}
