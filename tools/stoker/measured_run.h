/* A run of training that is measured: the real trainer for some time, then a few traced steps. */
#ifndef STK_TOOLS_MEASURED_RUN_H
#define STK_TOOLS_MEASURED_RUN_H

#include "train_job.h"

#include <stoker/monitor.h>

typedef struct stk_profile_plan {
    double  seconds; /* of the measured part */
    int64_t steps;   /* of it; 0: as the seconds say */
    bool    quiet;
} stk_profile_plan;

typedef struct stk_measured_run {
    stk_profile profile;     /* of the measured part */
    bool        interrupted; /* by Ctrl-C: of what there was until then */
    stk_trace  *trace;       /* of the steps after it; NULL: none */
} stk_measured_run;

/* Trains job into its recipe's folder. out is to be released even on failure. */
STK_NODISCARD stk_status stk_measure_run(stk_measured_run *out, stk_train_job *job,
                                         const stk_profile_plan *plan, stk_error *err);
void                     stk_measured_run_release(stk_measured_run *result);

#endif
