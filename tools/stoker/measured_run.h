/* A run of training that is measured: the real trainer for some time, then a few traced steps. */
#ifndef CLI_TOOLS_MEASURED_RUN_H
#define CLI_TOOLS_MEASURED_RUN_H

#include "train_job.h"

#include <stoker/monitor.h>

typedef struct cli_profile_plan {
    double  seconds; /* of the measured part */
    int64_t steps;   /* of it; 0: as the seconds say */
    bool    quiet;
} cli_profile_plan;

typedef struct cli_measured_run {
    stk_profile profile;     /* of the measured part */
    bool        interrupted; /* by Ctrl-C: of what there was until then */
    stk_trace  *trace;       /* of the steps after it; NULL: none */
} cli_measured_run;

/* Trains job into its recipe's folder. out is to be released even on failure. */
STK_NODISCARD stk_status cli_measure_run(cli_measured_run *out, cli_train_job *job,
                                         const cli_profile_plan *plan, stk_error *err);
void                     cli_measured_run_release(cli_measured_run *result);

#endif
