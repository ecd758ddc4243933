/* Sums of loss and accuracy since the last report and over the epoch. Every step's loss is on the
 * host; the device sums correct predictions and returns them with measured steps. */
#ifndef STK_TRAIN_LOOP_STEP_SUMS_H
#define STK_TRAIN_LOOP_STEP_SUMS_H

#include "train/session/session.h"

typedef struct stk_train_sums {
    double loss, loss_samples; /* over steps with a finite loss */
    double correct, samples;
} stk_train_sums;

typedef struct stk_train_means {
    double loss, accuracy; /* loss: NAN if no step had a finite one */
} stk_train_means;

/* Adds the loss of a step of so many samples. */
void stk_train_sums_add_loss(stk_train_sums *sums, float loss, int64_t samples);
/* Adds the device's sums. */
void            stk_train_sums_add_metrics(stk_train_sums *sums, const stk_metrics *metrics);
void            stk_train_sums_add(stk_train_sums *sums, const stk_train_sums *more);
stk_train_means stk_train_sums_means(const stk_train_sums *sums);

#endif
