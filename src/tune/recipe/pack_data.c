/* Packs that a search makes. They stay beside the ledger: the result is trained on them. */
#include "tune/recipe/pack_data.h"
#include "tune/recipe/remove_folder.h"
#include <stdio.h>
#include <stdlib.h>
#include <stoker/pack.h>
#include <string.h>

static stk_pack_format format_of(const char *form)
{
    for (int i = 0; i < STK_PACK_FORMATS; i++)
        if (strcmp(stk_pack_format_name((stk_pack_format)i), form) == 0) return (stk_pack_format)i;
    return STK_PACK_SEEKABLE;
}

static stk_status write_pack(const stk_source *source, const char *path,
                             const stk_tune_setting *change, uint64_t space,
                             const stk_cancel *cancel, stk_error *err)
{
    const char            *resize = stk_tune_setting_get(change, "pack.resize");
    const stk_pack_options options = {
        .images = {.format = format_of(stk_tune_setting_get(change, "pack.form")),
                   .resize = resize ? (int32_t)strtol(resize, NULL, 10) : 0,
                   .on_bad = STK_PACK_BAD_KEPT},
        .cancel = cancel};
    stk_pack_result result;
    STK_TRY(stk_pack(source, path, &options, &result, err));
    if (result.bytes_out <= space) return STK_OK;
    stk_tune_remove_folder(path);
    return stk_fail(err, STK_E_LIMIT, "tune", path,
                    "the pack takes %.1f MB, and --space allows %.1f MB: it was removed",
                    (double)result.bytes_out / 1e6, (double)space / 1e6);
}

static stk_status open_source(stk_source **out, const stk_train_recipe *recipe, stk_error *err)
{
    const stk_source_options options = {.kind = recipe->data.kind[0] ? recipe->data.kind : NULL,
                                        .follow_outside = recipe->data.follow_outside};
    return stk_source_open(out, NULL, recipe->data.path, &options, err);
}

stk_status stk_pack_data(const stk_recipe_settings *settings, const stk_tune_setting *change,
                         uint64_t space, const stk_cancel *cancel, stk_error *err)
{
    char        path[STK_TRAIN_PATH], above[STK_TRAIN_PATH];
    const char *form = stk_tune_setting_get(change, "pack.form");
    stk_source *source;
    bool        exists;
    if (!form) return STK_OK;
    STK_TRY(stk_recipe_settings_pack(path, settings, form,
                                     stk_tune_setting_get(change, "pack.resize"), err));
    /* An earlier trial made it, whole: before that it has another name. */
    STK_TRY(stk_path_exists(NULL, path, &exists, NULL, err));
    if (exists) return STK_OK;
    snprintf(above, sizeof above, "%.1000s/" STK_TUNE_PACKS, settings->folder);
    STK_TRY(stk_path_make_directories(NULL, above, err));
    STK_TRY(open_source(&source, settings->recipe, err));
    const stk_status st = write_pack(source, path, change, space, cancel, err);
    stk_source_free(source);
    return st;
}
