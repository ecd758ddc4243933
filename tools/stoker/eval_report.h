/* Output of stoker eval. */
#ifndef CLI_TOOLS_EVAL_REPORT_H
#define CLI_TOOLS_EVAL_REPORT_H

#include "terminal.h"

#include <stoker/json.h>
#include <stoker/model_file.h>

typedef struct cli_eval_report {
    const char           *run, *data;
    const stk_predictor  *predictor; /* for class names */
    const stk_evaluation *evaluation;
} cli_eval_report;

/* A class or a pair of classes: hits among count images. */
typedef struct cli_eval_tally {
    int64_t truth, guess, hits, count;
} cli_eval_tally;

enum { CLI_EVAL_PAIRS = 10 };

/* Classes with images, lowest recall first; the caller frees them. NULL: no memory. */
cli_eval_tally *cli_eval_list_classes(const stk_evaluation *e, size_t *count);
/* The most confused pairs, at most CLI_EVAL_PAIRS. */
size_t cli_eval_list_pairs(const stk_evaluation *e, cli_eval_tally pairs[CLI_EVAL_PAIRS + 1]);

/* As text, to stdout. */
void cli_eval_report_print(const cli_eval_report *report, const cli_style *style);
/* Prints the confusion matrix if it fits into the width, else how to get it. */
void cli_eval_matrix_print(const cli_eval_report *report, const cli_style *style);
/* As a JSON object. */
void cli_eval_report_json(stk_json_writer *json, const cli_eval_report *report);

#endif
