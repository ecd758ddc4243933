/* Ablation: the cost of each preset operation, by leaving it out of the pipeline. */
#ifndef CLI_TOOLS_BENCH_ABLATE_H
#define CLI_TOOLS_BENCH_ABLATE_H

#include "bench_pipeline.h"
#include "bench_run.h"

typedef struct cli_ablation {
    cli_contender contenders[CLI_BENCH_CONTENDERS]; /* the first is the complete pipeline */
    size_t        count;
} cli_ablation;

/* Builds and measures all pipelines. Must be released in any case. */
STK_NODISCARD stk_status cli_ablation_run(cli_ablation *out, const char *path,
                                          const cli_bench_shape  *shape,
                                          const cli_bench_limits *limits, stk_error *err);
void                     cli_ablation_release(cli_ablation *ablation);

void cli_ablation_print(const cli_ablation *ablation, const cli_style *style);
void cli_ablation_write_json(stk_json_writer *json, const cli_ablation *ablation, const char *path,
                             const cli_bench_shape *shape);

#endif
