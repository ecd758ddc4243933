/* Checks weights for non-finite values. */
#ifndef STK_TRAIN_SAVED_FINITE_WEIGHTS_H
#define STK_TRAIN_SAVED_FINITE_WEIGHTS_H

#include <stoker/program.h>

/* STK_E_RANGE naming the first parameter or statistic with a non-finite element; path: of their
 * file. Networks can hide such values: a ReLU turns NaN into 0. */
STK_NODISCARD stk_status stk_variables_check_finite(stk_variables *variables, const char *path,
                                                    stk_error *err);

#endif
