/* The checkpoints of a folder, by their names alone. */
#ifndef STK_TRAIN_CHECKPOINT_FOLDER_H
#define STK_TRAIN_CHECKPOINT_FOLDER_H

#include "train/checkpoint/checkpoint.h"

/* Replaces text by "FOLDER/step-000001200.safetensors", terminated. */
STK_NODISCARD stk_status stk_checkpoint_path(stk_blob *text, const char *folder, int64_t step,
                                             stk_error *err);
/* Appends the steps (int64_t) that folder has checkpoints of, the last first. */
STK_NODISCARD stk_status stk_checkpoint_steps(const stk_filesystem *fs, const char *folder,
                                              stk_blob *steps, stk_error *err);
/* Removes what processes that were killed while writing left behind. */
STK_NODISCARD stk_status stk_checkpoint_sweep(const stk_filesystem *fs, const char *folder,
                                              stk_error *err);

#endif
