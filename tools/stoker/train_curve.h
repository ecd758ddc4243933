/* Learning curve of a run, from metrics.csv. */
#ifndef CLI_TOOLS_TRAIN_CURVE_H
#define CLI_TOOLS_TRAIN_CURVE_H

#include "terminal.h"

#include <stoker/chart.h>

/* Columns that are read; absent values are NAN. */
typedef enum cli_curve_column {
    CLI_CURVE_STEP,
    CLI_CURVE_EPOCH,
    CLI_CURVE_SECONDS,
    CLI_CURVE_LOSS,
    CLI_CURVE_ACCURACY,
    CLI_CURVE_RATE,
    CLI_CURVE_EPOCH_LOSS,
    CLI_CURVE_EPOCH_ACCURACY,
    CLI_CURVE_VALIDATION_LOSS,
    CLI_CURVE_VALIDATION_ACCURACY,
    CLI_CURVE_COLUMNS
} cli_curve_column;

typedef struct cli_curve {
    double *rows[CLI_CURVE_COLUMNS]; /* count values each */
    size_t  count, evaluations;
    size_t  best; /* row of the best evaluation, if any */
} cli_curve;

/* Reads FOLDER/metrics.csv. On failure the curve is empty. */
STK_NODISCARD stk_status cli_curve_read(cli_curve *curve, const char *folder, stk_error *err);
void                     cli_curve_release(cli_curve *curve);

/* Prints loss and accuracy to stdout if there are at least two points. */
STK_NODISCARD stk_status cli_curve_print(const cli_curve *curve, const cli_style *style,
                                         stk_error *err);
/* Writes FOLDER/curve.svg: smoothed loss and accuracy over the measured values. */
STK_NODISCARD stk_status cli_curve_save(const cli_curve *curve, const char *folder, stk_error *err);

#endif
