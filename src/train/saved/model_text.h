/* What a file of weights says of the model. */
#ifndef STK_TRAIN_SAVED_MODEL_TEXT_H
#define STK_TRAIN_SAVED_MODEL_TEXT_H

#include <stoker/train_recipe.h>

/* Texts of a file of weights: what of the run's recipe matters to use it, as YAML, and its classes,
 * a JSON array. */
#define STK_MODEL_RECIPE "stoker.recipe.yaml"
#define STK_MODEL_CLASSES "stoker.classes.json"

/* Appends that recipe, terminated: nothing of where or how the model was trained, so that the same
 * weights are the same file. */
STK_NODISCARD stk_status stk_model_source_print(const stk_train_recipe *recipe, stk_blob *out,
                                                stk_error *err);

#endif
