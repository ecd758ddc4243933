/* Loss and accuracy as sums over samples: of the steps since the last report, and of the epoch. The
 * loss of every step comes to the host anyway; what was right is summed up on the device and comes
 * with the steps that are measured. */
#ifndef STK_TRAIN_LOOP_STEP_SUMS_H
#define STK_TRAIN_LOOP_STEP_SUMS_H

#include "train/session/session.h"

typedef struct stk_train_sums {
    double loss, loss_samples; /* of steps whose loss is finite */
    double correct, samples;
} stk_train_sums;

typedef struct stk_train_means {
    double loss, accuracy; /* loss: NAN where no step had one */
} stk_train_means;

/* Adds the loss of a step of so many samples. */
void stk_train_sums_add_loss(stk_train_sums *sums, float loss, int64_t samples);
/* Adds what the device summed up. */
void            stk_train_sums_add_metrics(stk_train_sums *sums, const stk_metrics *metrics);
void            stk_train_sums_add(stk_train_sums *sums, const stk_train_sums *more);
stk_train_means stk_train_sums_means(const stk_train_sums *sums);

#endif
