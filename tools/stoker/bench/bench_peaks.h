/* The roofs of the machine that a step is measured on. */
#ifndef CLI_TOOLS_BENCH_PEAKS_H
#define CLI_TOOLS_BENCH_PEAKS_H

#include <stoker/profile.h>
#include <stoker/train.h>

typedef struct cli_bench_peaks {
    stk_machine_peaks limits;       /* of what is not known, -1 */
    char              precision[8]; /* that limits.flops are in: "fp16" */
} cli_bench_peaks;

/* Measures what the backend and threads of a settled recipe give, in about half a second: best
 * before anything large is open there. */
void cli_bench_peaks_measure(cli_bench_peaks *peaks, const stk_train_recipe *recipe);

#endif
