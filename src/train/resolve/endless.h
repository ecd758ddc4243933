/* Recipes that are run for measurements: they end when the caller says so. */
#ifndef STK_TRAIN_RESOLVE_ENDLESS_H
#define STK_TRAIN_RESOLVE_ENDLESS_H

#include <stoker/train_data.h>

/* Changes a resolved recipe so that it neither ends nor evaluates. data is a copy of the caller's,
 * which keeps what it owns. */
void stk_train_make_endless(stk_train_recipe *recipe, stk_train_data *data);

#endif
