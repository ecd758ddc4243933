/* The settings of a run as TensorBoard compares them. */
#ifndef STK_TRAIN_LOOP_HPARAMS_H
#define STK_TRAIN_LOOP_HPARAMS_H

#include <stoker/events.h>
#include <stoker/train_recipe.h>

/* Every key of data, model, train, progressive and knobs, by its name in recipes. */
STK_NODISCARD stk_status stk_hparams_write(stk_events *events, const stk_train_recipe *recipe,
                                           stk_error *err);

#endif
