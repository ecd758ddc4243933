/* What stoker train prints at the end. */
#ifndef CLI_TOOLS_TRAIN_REPORT_H
#define CLI_TOOLS_TRAIN_REPORT_H

#include "terminal.h"
#include "train_final.h"
#include "train_startup.h"

#include <stoker/diagnosis.h>
#include <stoker/json.h>
#include <stoker/train.h>

typedef struct cli_train_report {
    const stk_train_recipe *recipe;
    const stk_inject       *inject; /* faults of the run */
    const stk_trainer      *trainer;
    const stk_train_result *result;
    const stk_profile      *profile;    /* NULL: there is none */
    int64_t                 first_step; /* of this start */
    double                  wall_seconds;
    const stk_diagnosis    *diagnosis; /* NULL: none */
    const stk_train_data   *data;
    cli_train_final         final; /* on the test split */
    cli_startup_table       startup;
    size_t                  left_out; /* images that could not be read */
} cli_train_report;

/* For people: accuracy, time, slow callbacks, files, to stdout. */
void cli_train_report_print(const cli_train_report *report, const cli_style *style);
/* A line with the faults that a run had on purpose; nothing without any. */
void cli_train_print_faults(FILE *out, const stk_inject *inject);
/* What to try next, to stderr. */
void cli_train_report_hint(const cli_train_report *report);
/* As one JSON object. */
void cli_train_report_json(stk_json_writer *json, const cli_train_report *report);

#endif
