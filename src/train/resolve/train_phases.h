/* The course of a run: epochs with their steps, image size, share of the data and strength of
 * augmentation, as progressive training changes them. */
#ifndef STK_TRAIN_RESOLVE_TRAIN_PHASES_H
#define STK_TRAIN_RESOLVE_TRAIN_PHASES_H

#include <stoker/train_data.h>

/* Epochs in a row that are prepared the same way. */
typedef struct stk_epoch_group {
    int64_t first_epoch, epochs;
    int64_t epoch_steps;     /* of each epoch */
    int64_t steps;           /* of all; less than epochs * epoch_steps where the run ends earlier */
    int64_t size, subsample; /* of images; every k-th image, 0: all */
    double  augment_reduction;
} stk_epoch_group;

typedef struct stk_epoch_plan {
    stk_epoch_group *groups;
    size_t           count;
    int64_t          epochs, steps; /* of the whole run */
} stk_epoch_plan;

/* Of a settled recipe. The last epoch is at full size, whatever the number of epochs and wherever
 * train.steps ends it. */
STK_NODISCARD stk_status stk_epoch_plan_make(stk_epoch_plan *plan, const stk_train_recipe *recipe,
                                             const stk_train_data *data, stk_error *err);
void                     stk_epoch_plan_release(stk_epoch_plan *plan);
/* STK_E_UNSUPPORTED where the network is another one for images of another size, saying which
 * weight. */
STK_NODISCARD stk_status stk_epoch_plan_check_model(const stk_epoch_plan   *plan,
                                                    const stk_train_recipe *recipe, stk_error *err);

#endif
