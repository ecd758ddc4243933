/* Resuming with data at another path. The run's fingerprint, and the file names in the loader's
 * saved position, have established that it is the same data. */
#include "train/loop/trainer_internal.h"
#include "train/saved/run_folder.h"
#include <stdio.h>
#include <string.h>

static bool is_elsewhere(const stk_train_recipe *there, const stk_train_recipe *now)
{
    return strcmp(there->data.path, now->data.path) != 0 ||
           strcmp(there->data.pipeline, now->data.pipeline) != 0;
}

/* Only the path changes in the stored recipe: keys such as threads apply to this start alone. */
stk_status stk_trainer_move_data(stk_trainer *trainer, stk_error *err)
{
    const stk_train_recipe *now = &trainer->recipe;
    char                    path[STK_TRAIN_PATH];
    stk_train_recipe        there;
    stk_train_recipe_init(&there);
    stk_run_folder_path(now->output.folder, "recipe.yaml", path);
    STK_TRY(stk_train_recipe_load(&there, NULL, path, err));
    if (!is_elsewhere(&there, now)) return STK_OK;
    stk_trainer_log(trainer, "the data lies in %s now (before: %s)", now->data.path,
                    there.data.path);
    memcpy(there.data.path, now->data.path, sizeof there.data.path);
    memcpy(there.data.pipeline, now->data.pipeline, sizeof there.data.pipeline);
    return stk_run_folder_write_recipe(&there, now->output.folder, err);
}
