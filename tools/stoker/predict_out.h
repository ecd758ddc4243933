/* One prediction, in every form that it is told in. */
#ifndef CLI_TOOLS_PREDICT_OUT_H
#define CLI_TOOLS_PREDICT_OUT_H

#include "terminal.h"
#include "text_rows.h"

#include <stoker/json.h>
#include <stoker/model_file.h>

typedef struct cli_prediction {
    const stk_predictor *predictor; /* for the names of classes */
    const char          *path;
    int64_t              truth;         /* -1: not known */
    const float         *probabilities; /* of all classes */
    const int64_t       *order;         /* shown of them, the likeliest first */
    int64_t              shown;         /* at least 1 */
} cli_prediction;

/* Writes to order the first shown of classes classes by probability, of equal ones the first;
 * order has room for classes. */
void cli_prediction_sort(const float *probabilities, int64_t classes, int64_t shown,
                         int64_t *order);

/* For people, to stdout. */
void cli_prediction_print(const cli_prediction *p, const cli_style *style);
/* As a JSON object. */
void cli_prediction_json(stk_json_writer *json, const cli_prediction *p);
/* One that failed. */
void cli_prediction_json_error(stk_json_writer *json, const char *path, const char *error);

/* CSV: a heading, then rows with "image" first. */
void cli_prediction_csv_heading(cli_text_rows *rows, int64_t shown);
void cli_prediction_csv(cli_text_rows *rows, const cli_prediction *p);
void cli_prediction_csv_error(cli_text_rows *rows, const char *path, int64_t shown,
                              const char *error);
/* "class_2,probability_2" and on, up to shown: also of evaluations. */
void cli_prediction_csv_more_heading(cli_text_rows *rows, int64_t shown);
void cli_prediction_csv_more(cli_text_rows *rows, const stk_predictor *predictor,
                             const float *probabilities, const int64_t *order, int64_t shown);

#endif
