/* The learning curve of a run, from its metrics.csv. */
#ifndef STK_TOOLS_TRAIN_CURVE_H
#define STK_TOOLS_TRAIN_CURVE_H

#include "terminal.h"

#include <stoker/chart.h>

typedef struct stk_curve {
    double *epoch, *loss;                   /* count each */
    double *evaluated_at, *validation_loss; /* evaluations each */
    size_t  count, evaluations;
    double  best_epoch, best_loss, best_accuracy; /* accuracy -1: none */
} stk_curve;

/* Of FOLDER/metrics.csv. On failure the curve is empty. */
STK_NODISCARD stk_status stk_curve_read(stk_curve *curve, const char *folder, stk_error *err);
void                     stk_curve_release(stk_curve *curve);

/* Prints it to stdout where there are two points at least. */
STK_NODISCARD stk_status stk_curve_print(const stk_curve *curve, const stk_style *style,
                                         stk_error *err);
/* Writes FOLDER/curve.svg. */
STK_NODISCARD stk_status stk_curve_save(const stk_curve *curve, const char *folder, stk_error *err);

#endif
