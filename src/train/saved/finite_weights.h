/* Whether weights are numbers. */
#ifndef STK_TRAIN_SAVED_FINITE_WEIGHTS_H
#define STK_TRAIN_SAVED_FINITE_WEIGHTS_H

#include <stoker/program.h>

/* STK_E_RANGE naming the first parameter or statistic that has an element which is not finite; path
 * is that of their file. Networks may hide it: a ReLU makes 0 of NaN. */
STK_NODISCARD stk_status stk_variables_check_finite(stk_variables *variables, const char *path,
                                                    stk_error *err);

#endif
