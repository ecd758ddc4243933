/* How many checkpoints stay. */
#ifndef STK_TRAIN_CHECKPOINT_RETENTION_H
#define STK_TRAIN_CHECKPOINT_RETENTION_H

#include "train/checkpoint/checkpoint.h"

/* Removes all but the newest keep checkpoints up to step, which was just written. */
STK_NODISCARD stk_status stk_checkpoint_keep(const stk_filesystem *fs, const char *folder,
                                             int64_t step, int64_t keep, stk_error *err);

#endif
