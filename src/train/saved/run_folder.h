/* The folder of a run: recipe.yaml, classes.txt, metrics.csv, event files, checkpoints/,
 * best.safetensors, final.safetensors. */
#ifndef STK_TRAIN_SAVED_RUN_FOLDER_H
#define STK_TRAIN_SAVED_RUN_FOLDER_H

#include <stoker/train_data.h>

/* Makes the folder with recipe and classes, and locks it against a second trainer (the lock is
 * released by stk_lock_release). An existing run is STK_E_EXISTS, unless resume; then its recipe
 * must be the same but for what stk_run_fingerprint leaves out, and the error names what differs.
 * What a killed trainer left of files that it was writing is removed.
 */
STK_NODISCARD stk_status stk_run_folder_make(const stk_train_recipe *recipe,
                                             const stk_train_data *data, bool resume,
                                             stk_lock **lock, stk_error *err);
/* In place of the one there. */
STK_NODISCARD stk_status stk_run_folder_write_recipe(const stk_train_recipe *recipe,
                                                     const char *folder, stk_error *err);
/* FOLDER/name into path. */
void stk_run_folder_path(const char *folder, const char *name, char path[STK_TRAIN_PATH]);

/* What decides whether a checkpoint goes on with a recipe: all of it but where it is kept, where
 * the data lies, how long it runs on, and how many threads help; and what the data is. */
uint64_t stk_run_fingerprint(const stk_train_recipe *recipe, const stk_train_data *data);

#endif
