/* The final test of a run: its best model on the test split, once. */
#ifndef CLI_TOOLS_TRAIN_FINAL_H
#define CLI_TOOLS_TRAIN_FINAL_H

#include "train_job.h"

#include <stoker/json.h>
#include <stoker/model_file.h>

typedef struct cli_train_final {
    bool           there; /* evaluated */
    char           split[64];
    stk_evaluation result;
} cli_train_final;

/* Evaluates folder's best model on the test split and writes RUN/test.json; no-op without a test
 * split. Reports a failure on stderr and returns false. */
bool cli_train_final_run(cli_train_final *final, const cli_train_job *job, const char *folder);
void cli_train_final_release(cli_train_final *final);

/* Print a line to stdout; write "test" into the open object. No-ops without a result. */
void cli_train_final_print(const cli_train_final *final);
void cli_train_final_json(stk_json_writer *json, const cli_train_final *final);

#endif
