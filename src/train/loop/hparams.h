/* Hyperparameters of a run in TensorBoard's form. */
#ifndef STK_TRAIN_LOOP_HPARAMS_H
#define STK_TRAIN_LOOP_HPARAMS_H

#include <stoker/events.h>
#include <stoker/train_recipe.h>

/* Writes every key of data, model, train, progressive and knobs under its recipe name. */
STK_NODISCARD stk_status stk_hparams_write(stk_events *events, const stk_train_recipe *recipe,
                                           stk_error *err);

#endif
