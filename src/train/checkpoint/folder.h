/* Lists the checkpoints of a folder by file name. */
#ifndef STK_TRAIN_CHECKPOINT_FOLDER_H
#define STK_TRAIN_CHECKPOINT_FOLDER_H

#include "train/checkpoint/checkpoint.h"

/* Sets text to "FOLDER/step-000001200.safetensors", NUL-terminated. */
STK_NODISCARD stk_status stk_checkpoint_path(stk_blob *text, const char *folder, int64_t step,
                                             stk_error *err);
/* Appends the steps (int64_t) of folder's checkpoints, newest first. */
STK_NODISCARD stk_status stk_checkpoint_steps(const stk_filesystem *fs, const char *folder,
                                              stk_blob *steps, stk_error *err);
/* Removes temporary files of processes that were killed while writing. */
STK_NODISCARD stk_status stk_checkpoint_sweep(const stk_filesystem *fs, const char *folder,
                                              stk_error *err);

#endif
