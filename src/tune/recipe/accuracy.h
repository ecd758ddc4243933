/* Whether a change of learning costs accuracy: short trainings of both settings with the same
 * seeds and the same number of samples. */
#ifndef STK_TUNE_RECIPE_ACCURACY_H
#define STK_TUNE_RECIPE_ACCURACY_H

#include "tune/search/search.h"
#include <stoker/train_data.h>

typedef struct stk_accuracy_side {
    const stk_train_recipe *recipe; /* resolved */
    const stk_train_data   *data;
} stk_accuracy_side;

typedef struct stk_accuracy_options {
    double            margin;     /* accuracy that may be lost, 0 to 1 */
    double            epochs;     /* of a training; below 0: the recipe's */
    int               seeds;      /* at most */
    double            deadline_s; /* on stk_clock_ns, as seconds; 0: none */
    const char       *folder;     /* of runs: removed after each */
    const stk_cancel *cancel;
} stk_accuracy_options;

/* Passed once a loss of margin or more is excluded. Not shown to be harmless is not passed. */
STK_NODISCARD stk_status stk_accuracy_compare(stk_tune_guard_result      *out,
                                              const stk_accuracy_side    *before,
                                              const stk_accuracy_side    *after,
                                              const stk_accuracy_options *options, stk_error *err);

#endif
