/* What stoker eval prints. */
#ifndef STK_TOOLS_EVAL_REPORT_H
#define STK_TOOLS_EVAL_REPORT_H

#include "terminal.h"

#include <stoker/json.h>
#include <stoker/model_file.h>

typedef struct stk_eval_report {
    const char           *run, *data;
    const stk_predictor  *predictor; /* for the names of classes */
    const stk_evaluation *evaluation;
} stk_eval_report;

/* A class, or a pair of classes: how many of count images. */
typedef struct stk_eval_tally {
    int64_t truth, guess, hits, count;
} stk_eval_tally;

enum { STK_EVAL_PAIRS = 10 };

/* Classes that have images, those recognised worst first; to be freed. NULL: no memory. */
stk_eval_tally *stk_eval_list_classes(const stk_evaluation *e, size_t *count);
/* The pairs that are confused most, at most STK_EVAL_PAIRS. */
size_t stk_eval_list_pairs(const stk_evaluation *e, stk_eval_tally pairs[STK_EVAL_PAIRS + 1]);

/* For people, to stdout. */
void stk_eval_report_print(const stk_eval_report *report, const stk_style *style);
/* The confusion matrix, where it fits into the style's columns; else a word on how to get it. */
void stk_eval_matrix_print(const stk_eval_report *report, const stk_style *style);
/* As one JSON object. */
void stk_eval_report_json(stk_json_writer *json, const stk_eval_report *report);

#endif
