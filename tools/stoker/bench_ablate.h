/* What each operation of a preset costs: the pipeline with it left out, beside the whole one. */
#ifndef STK_TOOLS_BENCH_ABLATE_H
#define STK_TOOLS_BENCH_ABLATE_H

#include "bench_pipeline.h"
#include "bench_run.h"

typedef struct stk_ablation {
    stk_rival rivals[STK_BENCH_RIVALS]; /* the first is the whole pipeline */
    size_t    count;
} stk_ablation;

/* Makes and measures all pipelines. Release it in any case. */
STK_NODISCARD stk_status stk_ablation_run(stk_ablation *out, const char *path,
                                          const stk_bench_shape  *shape,
                                          const stk_bench_limits *limits, stk_error *err);
void                     stk_ablation_release(stk_ablation *ablation);

void stk_ablation_print(const stk_ablation *ablation, const stk_style *style);
void stk_ablation_write_json(stk_json_writer *json, const stk_ablation *ablation, const char *path,
                             const stk_bench_shape *shape);

#endif
