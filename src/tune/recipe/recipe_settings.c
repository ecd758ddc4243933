/* Settings of a search as recipes. */
#include "tune/recipe/recipe_settings.h"
#include <stdio.h>
#include <stoker/train_resolve.h>
#include <string.h>

static const char pack_prefix[] = "pack.";

void stk_recipe_settings_release(stk_recipe_settings *settings)
{
    for (size_t i = 0; i < settings->count; i++)
        stk_train_data_release(&settings->read[i].data);
    settings->count = 0;
}

stk_status stk_recipe_settings_pack(char path[STK_TRAIN_PATH], const stk_recipe_settings *settings,
                                    const char *form, const char *resize, stk_error *err)
{
    const int length = snprintf(path, STK_TRAIN_PATH, "%s/" STK_TUNE_PACKS "/%s%s%s",
                                settings->folder, form, resize ? "-" : "", resize ? resize : "");
    if (length > 0 && length < STK_TRAIN_PATH) return STK_OK;
    return stk_fail(err, STK_E_LIMIT, "tune", settings->folder, "the folder's name is too long");
}

static stk_status apply_pack(stk_train_recipe *out, const stk_recipe_settings *settings,
                             const stk_tune_setting *setting, stk_error *err)
{
    const char *form = stk_tune_setting_get(setting, "pack.form");
    if (!form) return STK_OK;
    STK_TRY(stk_recipe_settings_pack(out->data.path, settings, form,
                                     stk_tune_setting_get(setting, "pack.resize"), err));
    return stk_train_recipe_set(out, "data.kind", "auto", "tune", err);
}

stk_status stk_recipe_settings_apply(stk_train_recipe *out, const stk_recipe_settings *settings,
                                     const stk_tune_setting *setting, stk_error *err)
{
    *out = *settings->recipe;
    for (size_t i = 0; i < setting->count; i++) {
        const stk_tune_assignment *one = &setting->list[i];
        if (strncmp(one->key, pack_prefix, sizeof pack_prefix - 1) == 0) continue;
        STK_TRY(stk_train_recipe_set(out, one->key, one->value, "tune", err));
    }
    return apply_pack(out, settings, setting, err);
}

/* Listing a folder may take long; it is done once for each. */
static stk_status find_data(stk_recipe_settings *settings, const stk_train_recipe *recipe,
                            const stk_train_data **out, stk_error *err)
{
    for (size_t i = 0; i < settings->count; i++)
        if (strcmp(settings->read[i].path, recipe->data.path) == 0) {
            *out = &settings->read[i].data;
            return STK_OK;
        }
    if (settings->count == STK_TUNE_DATA_MAX)
        return stk_fail(err, STK_E_LIMIT, "tune", recipe->data.path,
                        "more than %d forms of the data in one search", STK_TUNE_DATA_MAX);
    stk_train_data  *data = &settings->read[settings->count].data;
    const stk_status st = stk_train_data_read(data, recipe, err);
    if (st) {
        stk_train_data_release(data);
        return st;
    }
    snprintf(settings->read[settings->count++].path, STK_TRAIN_PATH, "%s", recipe->data.path);
    *out = data;
    return STK_OK;
}

stk_status stk_recipe_settings_resolve(stk_train_recipe *out, const stk_train_data **data,
                                       stk_recipe_settings    *settings,
                                       const stk_tune_setting *setting, stk_error *err)
{
    STK_TRY(stk_recipe_settings_apply(out, settings, setting, err));
    STK_TRY(find_data(settings, out, data, err));
    return stk_train_resolve(out, *data, NULL, err);
}
