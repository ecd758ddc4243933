/* The folder of a run: recipe.yaml, classes.txt, metrics.csv, event files, checkpoints/,
 * best.safetensors, final.safetensors. */
#ifndef STK_TRAIN_SAVED_RUN_FOLDER_H
#define STK_TRAIN_SAVED_RUN_FOLDER_H

#include <stoker/train_data.h>

/* Creates the folder with recipe and classes, and locks it against a second trainer until
 * stk_lock_release. An existing run is STK_E_EXISTS unless resume is set. Then its recipe must
 * agree in all that stk_run_fingerprint covers; the error names the difference. Removes temporary
 * files of a killed trainer. */
STK_NODISCARD stk_status stk_run_folder_make(const stk_train_recipe *recipe,
                                             const stk_train_data *data, bool resume,
                                             stk_lock **lock, stk_error *err);
/* Replaces the existing recipe atomically. */
STK_NODISCARD stk_status stk_run_folder_write_recipe(const stk_train_recipe *recipe,
                                                     const char *folder, stk_error *err);
/* Writes FOLDER/name to path. */
void stk_run_folder_path(const char *folder, const char *name, char path[STK_TRAIN_PATH]);

/* Fingerprint of the recipe and data that a checkpoint belongs to. Excludes output keys, the data's
 * path, the length of the run, and numbers of threads. */
uint64_t stk_run_fingerprint(const stk_train_recipe *recipe, const stk_train_data *data);

#endif
