/* Summary of a training run before it starts, on stderr. */
#ifndef CLI_TOOLS_TRAIN_PLAN_H
#define CLI_TOOLS_TRAIN_PLAN_H

#include "train_job.h"

/* Size of the network, per image. */
typedef struct cli_model_size {
    uint64_t parameters;
    double   flops; /* forward pass */
} cli_model_size;

/* For a resolved recipe. Zeros if the model cannot be built: the trainer reports why. */
cli_model_size cli_train_model_size(const stk_train_recipe *recipe);

/* Prints data and model: known before anything is compiled. */
void cli_train_plan_begin(const cli_train_job *job);
/* Prints schedule, machine, output. */
void cli_train_plan_end(const cli_train_job *job, const stk_trainer *trainer);

#endif
