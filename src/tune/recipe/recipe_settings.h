/* Settings of a search as recipes: with data, resolved. */
#ifndef STK_TUNE_RECIPE_RECIPE_SETTINGS_H
#define STK_TUNE_RECIPE_RECIPE_SETTINGS_H

#include "tune/search/search.h"
#include <stoker/train_data.h>

enum { STK_TUNE_DATA_MAX = 16 };

/* Folders of a search. The first is removed with all in it, and a pack that is in the second is
 * used: in a folder that has other things, too, both are names that nobody else has. */
#define STK_TUNE_RUNS "tune-runs"
#define STK_TUNE_PACKS "tune-data"

/* What is tuned: a user's recipe, and the data that its settings name, each read once. */
typedef struct stk_recipe_settings {
    const stk_train_recipe *recipe; /* as the user wrote it */
    const char             *folder; /* new packs are in its folder tune-data/ */
    size_t                  count;
    struct {
        char           path[STK_TRAIN_PATH];
        stk_train_data data;
    } read[STK_TUNE_DATA_MAX];
} stk_recipe_settings;

void stk_recipe_settings_release(stk_recipe_settings *settings);

/* The user's recipe with a setting; open keys stay open. */
STK_NODISCARD stk_status stk_recipe_settings_apply(stk_train_recipe          *out,
                                                   const stk_recipe_settings *settings,
                                                   const stk_tune_setting *setting, stk_error *err);
/* The same, resolved; *data is lent by settings. */
STK_NODISCARD stk_status stk_recipe_settings_resolve(stk_train_recipe       *out,
                                                     const stk_train_data  **data,
                                                     stk_recipe_settings    *settings,
                                                     const stk_tune_setting *setting,
                                                     stk_error              *err);
/* Where the pack of pack.form and pack.resize lies: FOLDER/tune-data/raw or .../jpeg-146. */
STK_NODISCARD stk_status stk_recipe_settings_pack(char                       path[STK_TRAIN_PATH],
                                                  const stk_recipe_settings *settings,
                                                  const char *form, const char *resize,
                                                  stk_error *err);

#endif
