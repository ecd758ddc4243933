/* Output of stoker bench compute. */
#ifndef CLI_TOOLS_BENCH_COMPUTE_REPORT_H
#define CLI_TOOLS_BENCH_COMPUTE_REPORT_H

#include "bench_peaks.h"
#include "spread.h"
#include "terminal.h"

#include <stoker/json.h>
#include <stoker/train_bench.h>

typedef struct cli_compute_report {
    const stk_train_recipe *recipe;
    stk_train_bench        *bench; /* its program has operations and memory */
    bool                    inference, ops;
    int64_t                 window; /* consecutive steps per measurement; 0: one */
    double                 *times;  /* seconds per step; sorted */
    size_t                  count;
    cli_spread              spread;
    double                  compile_seconds;
    int64_t                 largest_batch; /* 0: not requested */
    stk_memory_plan         largest_plan;  /* of largest_batch */
    cli_bench_peaks         peaks;         /* with ops */
} cli_compute_report;

/* As text, to stdout. */
void cli_compute_report_print(const cli_compute_report *report, const cli_style *style);
/* As one JSON object. */
void cli_compute_report_json(stk_json_writer *json, const cli_compute_report *report);

#endif
