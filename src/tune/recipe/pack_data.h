/* Packs that a search makes. */
#ifndef STK_TUNE_RECIPE_PACK_DATA_H
#define STK_TUNE_RECIPE_PACK_DATA_H

#include "tune/recipe/recipe_settings.h"

/* Makes the pack that change names (pack.form, pack.resize), unless it is there, from the data of
 * the user's recipe. It may take so many bytes at most: a larger one is STK_E_LIMIT and removed. */
STK_NODISCARD stk_status stk_pack_data(const stk_recipe_settings *settings,
                                       const stk_tune_setting *change, uint64_t space,
                                       const stk_cancel *cancel, stk_error *err);

#endif
