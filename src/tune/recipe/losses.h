/* Whether two settings learn the same: their losses, step by step. */
#ifndef STK_TUNE_RECIPE_LOSSES_H
#define STK_TUNE_RECIPE_LOSSES_H

#include "tune/search/search.h"
#include <stoker/train_data.h>

/* A resolved recipe, to be trained for some steps in folder, which is removed afterwards. */
typedef struct stk_loss_run {
    const stk_train_recipe *recipe;
    const stk_train_data   *data;
    const char             *folder;
    const stk_cancel       *cancel;
} stk_loss_run;

/* What two settings may differ by. */
typedef struct stk_loss_tolerance {
    bool   exact;    /* the same bits, if the first setting repeats its own */
    bool   reorders; /* other samples a step: only means are compared */
    double relative; /* of a step's loss */
} stk_loss_tolerance;

STK_NODISCARD stk_status stk_losses_compare(stk_tune_guard_result *out, const stk_loss_run *before,
                                            const stk_loss_run       *after,
                                            const stk_loss_tolerance *tolerance, stk_error *err);

#endif
