/* What the seconds before the first step of stoker train went to. */
#ifndef CLI_TOOLS_TRAIN_STARTUP_H
#define CLI_TOOLS_TRAIN_STARTUP_H

#include "train_job.h"

#include <stoker/json.h>

enum { CLI_STARTUP_ROWS = STK_STARTUP_PARTS + 3 };

/* From the command's beginning: looking at the data, the trainer's parts, and the rest. */
typedef struct cli_startup_table {
    double           seconds;
    size_t           count; /* 0: there was no first step */
    stk_startup_part rows[CLI_STARTUP_ROWS];
} cli_startup_table;

/* before_s: from the command's beginning until the trainer was opened. */
cli_startup_table cli_startup_table_of(const cli_train_job *job, const stk_trainer *trainer,
                                       double before_s);
/* "start 1.84 s until the first step was done: compile 0.92 s, ...", the largest first. */
void cli_startup_print(const cli_startup_table *table);
/* An object under the key "startup", or null. */
void cli_startup_json(stk_json_writer *json, const cli_startup_table *table);

#endif
