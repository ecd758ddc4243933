/* A training run that stands still between its blocks. Two of them in one process can be measured
 * in turn without starting again, with all that belongs to a run: input, callbacks, checkpoints. */
#ifndef STK_TUNE_RECIPE_ARM_H
#define STK_TUNE_RECIPE_ARM_H

#include "tune/search/search.h"
#include <stoker/train_data.h>

typedef struct stk_recipe_arm stk_recipe_arm;

typedef struct stk_recipe_arm_options {
    const stk_train_recipe *recipe;  /* resolved; copied */
    const stk_train_data   *data;    /* copied; what it owns must outlive the arm */
    const char             *folder;  /* of its run: made, and removed at the end */
    double                  block_s; /* of a block that is measured */
    const stk_inject       *inject;  /* NULL: none */
    const stk_cancel       *cancel;
} stk_recipe_arm_options;

/* Starts training and returns when it is warm. */
STK_NODISCARD stk_status stk_recipe_arm_open(stk_recipe_arm              **out,
                                             const stk_recipe_arm_options *options, stk_error *err);
/* Lets it run until the block is over. */
STK_NODISCARD stk_status stk_recipe_arm_measure(stk_recipe_arm *arm, stk_tune_block *out,
                                                stk_error *err);
/* NULL is fine. */
void stk_recipe_arm_close(stk_recipe_arm *arm);

#endif
