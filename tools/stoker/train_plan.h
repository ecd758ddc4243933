/* What a run of training is going to be, in some lines on stderr. */
#ifndef CLI_TOOLS_TRAIN_PLAN_H
#define CLI_TOOLS_TRAIN_PLAN_H

#include "train_job.h"

/* What the network is, for an image. */
typedef struct cli_model_size {
    uint64_t parameters;
    double   flops; /* forward */
} cli_model_size;

/* Of a settled recipe. A model that does not build gives zeros: the trainer says why. */
cli_model_size cli_train_model_size(const stk_train_recipe *recipe);

/* Data and model: what can be told before anything is compiled. */
void cli_train_plan_begin(const cli_train_job *job);
/* Schedule, machine, output. */
void cli_train_plan_end(const cli_train_job *job, const stk_trainer *trainer);

#endif
