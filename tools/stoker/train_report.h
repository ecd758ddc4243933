/* Output of stoker train at the end. */
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
    const stk_inject       *inject; /* injected faults */
    const stk_trainer      *trainer;
    const stk_train_result *result;
    const stk_profile      *profile;    /* NULL: none */
    int64_t                 first_step; /* of this start */
    double                  wall_seconds;
    const stk_diagnosis    *diagnosis; /* NULL: none */
    const stk_train_data   *data;
    cli_train_final         final; /* on the test split */
    cli_startup_table       startup;
    size_t                  left_out; /* unreadable images */
} cli_train_report;

/* As text, to stdout: accuracy, time, slow callbacks, files. */
void cli_train_report_print(const cli_train_report *report, const cli_style *style);
/* Prints a line with injected faults; nothing without any. */
void cli_train_print_faults(FILE *out, const stk_inject *inject);
/* Prints suggestions to stderr. */
void cli_train_report_hint(const cli_train_report *report);
/* As a JSON object. */
void cli_train_report_json(stk_json_writer *json, const cli_train_report *report);

#endif
