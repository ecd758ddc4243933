/* Time of stoker train before the first step. */
#ifndef CLI_TOOLS_TRAIN_STARTUP_H
#define CLI_TOOLS_TRAIN_STARTUP_H

#include "train_job.h"

#include <stoker/json.h>

enum { CLI_STARTUP_ROWS = STK_STARTUP_PARTS + 3 };

/* From the start of the command: reading the data, the trainer's phases, and the rest. */
typedef struct cli_startup_table {
    double           seconds;
    size_t           count; /* 0: no first step */
    stk_startup_part rows[CLI_STARTUP_ROWS];
} cli_startup_table;

/* before_s: from the start of the command until the trainer was opened. */
cli_startup_table cli_startup_table_of(const cli_train_job *job, const stk_trainer *trainer,
                                       double before_s);
/* Prints "start 1.84 s until the first step was done: compile 0.92 s, ...", largest first. */
void cli_startup_print(const cli_startup_table *table);
/* Writes an object under the key "startup", or null. */
void cli_startup_json(stk_json_writer *json, const cli_startup_table *table);

#endif
