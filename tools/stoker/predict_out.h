/* Output of one prediction in every format. */
#ifndef CLI_TOOLS_PREDICT_OUT_H
#define CLI_TOOLS_PREDICT_OUT_H

#include "terminal.h"
#include "text_rows.h"

#include <stoker/json.h>
#include <stoker/model_file.h>

typedef struct cli_prediction {
    const stk_predictor *predictor; /* for class names */
    const char          *path;
    int64_t              truth;         /* -1: not known */
    const float         *probabilities; /* one per class */
    const int64_t       *order;         /* classes to show, most probable first */
    int64_t              shown;         /* at least 1 */
} cli_prediction;

/* Writes the indices of the shown most probable classes to order, which has capacity for all
 * classes. Ties are in class order. */
void cli_prediction_sort(const float *probabilities, int64_t classes, int64_t shown,
                         int64_t *order);

/* As text, to stdout. */
void cli_prediction_print(const cli_prediction *p, const cli_style *style);
/* As a JSON object. */
void cli_prediction_json(stk_json_writer *json, const cli_prediction *p);
/* A failed prediction. */
void cli_prediction_json_error(stk_json_writer *json, const char *path, const char *error);

/* Writes the CSV heading, then rows with "image" first. */
void cli_prediction_csv_heading(cli_text_rows *rows, int64_t shown);
void cli_prediction_csv(cli_text_rows *rows, const cli_prediction *p);
void cli_prediction_csv_error(cli_text_rows *rows, const char *path, int64_t shown,
                              const char *error);
/* Writes "class_2,probability_2" and so on up to shown; also for evaluations. */
void cli_prediction_csv_more_heading(cli_text_rows *rows, int64_t shown);
void cli_prediction_csv_more(cli_text_rows *rows, const stk_predictor *predictor,
                             const float *probabilities, const int64_t *order, int64_t shown);

#endif
