/* Metadata of a weights file. */
#ifndef STK_TRAIN_SAVED_MODEL_TEXT_H
#define STK_TRAIN_SAVED_MODEL_TEXT_H

#include <stoker/train_recipe.h>

/* Keys of the metadata: the relevant part of the recipe as YAML, and the classes as a JSON
 * array. */
#define STK_MODEL_RECIPE "stoker.recipe.yaml"
#define STK_MODEL_CLASSES "stoker.classes.json"

/* Appends that recipe, NUL-terminated. It excludes where and how the model was trained, so that
 * equal weights give equal files. */
STK_NODISCARD stk_status stk_model_source_print(const stk_train_recipe *recipe, stk_blob *out,
                                                stk_error *err);

#endif
