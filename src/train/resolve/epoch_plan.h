/* The epoch plan: steps, image size, subsample and augmentation of all epochs, as progressive
 * training changes them. */
#ifndef STK_TRAIN_RESOLVE_EPOCH_PLAN_H
#define STK_TRAIN_RESOLVE_EPOCH_PLAN_H

#include <stoker/train_data.h>

/* Consecutive epochs that are prepared alike. */
typedef struct stk_epoch_group {
    int64_t first_epoch, epochs;
    int64_t epoch_steps;     /* of each epoch */
    int64_t steps;           /* in all; less than epochs * epoch_steps if the run ends earlier */
    int64_t size, subsample; /* image size; every k-th image, 0: all */
    double  augment_reduction;
} stk_epoch_group;

typedef struct stk_epoch_plan {
    stk_epoch_group *groups;
    size_t           count;
    int64_t          epochs, steps; /* of the complete run */
} stk_epoch_plan;

/* For a resolved recipe. The last epoch has full size, for any number of epochs and any
 * train.steps. */
STK_NODISCARD stk_status stk_epoch_plan_make(stk_epoch_plan *plan, const stk_train_recipe *recipe,
                                             const stk_train_data *data, stk_error *err);
void                     stk_epoch_plan_release(stk_epoch_plan *plan);
/* STK_E_UNSUPPORTED if another image size would change the network; the message names the
 * weight. */
STK_NODISCARD stk_status stk_epoch_plan_check_model(const stk_epoch_plan   *plan,
                                                    const stk_train_recipe *recipe, stk_error *err);

#endif
