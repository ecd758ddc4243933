/* Peak rates of the machine that a step is measured on. */
#ifndef CLI_TOOLS_BENCH_PEAKS_H
#define CLI_TOOLS_BENCH_PEAKS_H

#include <stoker/profile.h>
#include <stoker/train.h>

typedef struct cli_bench_peaks {
    stk_machine_peaks limits;       /* unknown rates are -1 */
    char              precision[8]; /* of limits.flops: "fp16" */
} cli_bench_peaks;

/* Measures the peaks of a resolved recipe's backend and threads in about half a second. Call it
 * before large allocations on the device. */
void cli_bench_peaks_measure(cli_bench_peaks *peaks, const stk_train_recipe *recipe);

#endif
