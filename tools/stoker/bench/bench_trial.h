/* Interleaved timing of training steps or graph runs, so that other load affects all alike. */
#ifndef CLI_TOOLS_BENCH_TRIAL_H
#define CLI_TOOLS_BENCH_TRIAL_H

#include "spread.h"

#include <stoker/train_bench.h>

enum { CLI_TRIAL_WINDOWS = 64 };

typedef struct cli_trial {
    stk_train_recipe recipe; /* of a training trial */
    stk_train_bench *bench;  /* NULL: runs of a graph */
    stk_device      *device;
    stk_variables   *variables;
    stk_program     *program; /* borrowed from bench if there is one */
    double           work;    /* per step: images, or FLOPs */
    int64_t          steps;   /* per window */
    size_t           windows;
    double           rate[CLI_TRIAL_WINDOWS]; /* work per second */
} cli_trial;

/* Prepares training steps of recipe, which it resolves, on generated images; work: images. The
 * trial must not move. Must be released even on failure. */
STK_NODISCARD stk_status cli_trial_recipe(cli_trial *trial, const stk_train_recipe *recipe,
                                          bool inference, stk_error *err);
/* Prepares runs of graph, which it frees, on a device of its own, fed with numbers from -1 to 1;
 * work: FLOPs. recipe gives backend, threads and precision. */
STK_NODISCARD stk_status cli_trial_graph(cli_trial *trial, stk_graph *graph,
                                         const stk_train_recipe *recipe, unsigned passes_off,
                                         stk_error *err);
void                     cli_trial_release(cli_trial *trial);

/* Times windows of about seconds each, one of every trial in turn. */
STK_NODISCARD stk_status cli_trials_run(cli_trial *const *trials, size_t count, size_t windows,
                                        double seconds, stk_error *err);

cli_spread cli_trial_rate(const cli_trial *trial);
/* Speed-up over before, window by window. */
cli_spread cli_trial_ratio(const cli_trial *trial, const cli_trial *before);
/* FLOPs of one step. */
double cli_trial_flops(const cli_trial *trial);

#endif
