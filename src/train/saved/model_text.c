/* The part of a recipe that is stored with weights. */
#include "train/saved/model_text.h"
#include "train/recipe/train_recipe_internal.h"
#include <stdio.h>
#include <string.h>

/* Keys about preprocessing and compute. Of the data section, all but keys that select images and
 * feed training: a new preprocessing key must not be missed. A test covers every new key. */
static bool matters(const stk_param *key)
{
    static const char *const used[] = {"model.name",    "model.classes",   "model.width",
                                       "model.trivial", "train.precision", "train.tta"};
    static const char *const unused[] = {
        "path",          "kind",           "split", "validation", "test",    "pipeline",
        "on_bad_sample", "follow_outside", "batch", "eval_batch", "shuffle", "cache",
        "cache_folder",  "resident",       "flip",  "balance",    "mixup",   "cutmix"};
    char name[STK_TRAIN_TEXT];
    if (strcmp(key->group, "data") == 0) {
        for (size_t i = 0; i < sizeof unused / sizeof *unused; i++)
            if (strcmp(key->name, unused[i]) == 0) return false;
        return true;
    }
    snprintf(name, sizeof name, "%s.%s", key->group, key->name);
    for (size_t i = 0; i < sizeof used / sizeof *used; i++)
        if (strcmp(name, used[i]) == 0) return true;
    return false;
}

stk_status stk_model_source_print(const stk_train_recipe *recipe, stk_blob *out, stk_error *err)
{
    STK_TRY(stk_train_recipe_print_some(recipe, matters, out, err));
    return stk_blob_append(out, "", 1, err);
}
