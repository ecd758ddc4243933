/* The learning curve of a run, from its metrics.csv. */
#ifndef STK_TOOLS_TRAIN_CURVE_H
#define STK_TOOLS_TRAIN_CURVE_H

#include "terminal.h"

#include <stoker/chart.h>

/* Columns of the table that are read; a value that is not in it is NAN. */
typedef enum stk_curve_column {
    STK_CURVE_STEP,
    STK_CURVE_EPOCH,
    STK_CURVE_SECONDS,
    STK_CURVE_LOSS,
    STK_CURVE_ACCURACY,
    STK_CURVE_RATE,
    STK_CURVE_EPOCH_LOSS,
    STK_CURVE_EPOCH_ACCURACY,
    STK_CURVE_VALIDATION_LOSS,
    STK_CURVE_VALIDATION_ACCURACY,
    STK_CURVE_COLUMNS
} stk_curve_column;

typedef struct stk_curve {
    double *rows[STK_CURVE_COLUMNS]; /* count each */
    size_t  count, evaluations;
    size_t  best; /* the row of the best evaluation, where there is one */
} stk_curve;

/* Of FOLDER/metrics.csv. On failure the curve is empty. */
STK_NODISCARD stk_status stk_curve_read(stk_curve *curve, const char *folder, stk_error *err);
void                     stk_curve_release(stk_curve *curve);

/* Prints loss and accuracy to stdout where there are two points at least. */
STK_NODISCARD stk_status stk_curve_print(const stk_curve *curve, const stk_style *style,
                                         stk_error *err);
/* Writes FOLDER/curve.svg: loss and accuracy, smoothed, with what was measured behind. */
STK_NODISCARD stk_status stk_curve_save(const stk_curve *curve, const char *folder, stk_error *err);

#endif
