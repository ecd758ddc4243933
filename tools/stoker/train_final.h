/* The last word on a run: its best model on the test split, once. */
#ifndef CLI_TOOLS_TRAIN_FINAL_H
#define CLI_TOOLS_TRAIN_FINAL_H

#include "train_job.h"

#include <stoker/json.h>
#include <stoker/model_file.h>

typedef struct cli_train_final {
    bool           there; /* it was evaluated */
    char           split[64];
    stk_evaluation result;
} cli_train_final;

/* Evaluates the model of folder on the data's test split and writes RUN/test.json; nothing where
 * the data has none. What fails is told on stderr; false then. */
bool cli_train_final_run(cli_train_final *final, const cli_train_job *job, const char *folder);
void cli_train_final_release(cli_train_final *final);

/* For people, a line to stdout; and as a pair "test" of the object at hand. Nothing without one. */
void cli_train_final_print(const cli_train_final *final);
void cli_train_final_json(stk_json_writer *json, const cli_train_final *final);

#endif
