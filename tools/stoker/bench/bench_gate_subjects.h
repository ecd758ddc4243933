/* What a base can be of: steps of training, steps alone, pipelines. Each returns an exit code. */
#ifndef CLI_TOOLS_BENCH_GATE_SUBJECTS_H
#define CLI_TOOLS_BENCH_GATE_SUBJECTS_H

#include "bench_gate.h"
#include "bench_pipeline.h"
#include "bench_run.h"
#include "train_job.h"

/* How a measurement is made and told. */
typedef struct cli_gate_call {
    const cli_invocation  *call;
    const cli_gate_values *values;
    double                 seconds;
    bool                   json, quiet;
    const char            *color;
} cli_gate_call;

/* Steps with their input. */
int cli_gate_train(const cli_gate_call *gate, const cli_train_job *job);

/* Steps on generated images, of a resolved recipe. window as in stoker bench compute. */
int cli_gate_compute(const cli_gate_call *gate, const stk_train_recipe *recipe, bool inference,
                     int64_t window);

int cli_gate_input(const cli_gate_call *gate, const char *path, const cli_bench_shape *shape,
                   const cli_bench_limits *limits);

#endif
