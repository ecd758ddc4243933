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

/* For people, to stdout. */
void stk_eval_report_print(const stk_eval_report *report, const stk_style *style);
/* As one JSON object. */
void stk_eval_report_json(stk_json_writer *json, const stk_eval_report *report);

#endif
