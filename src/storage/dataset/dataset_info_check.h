/* Checks that a folder matches its description. */
#ifndef STK_STORAGE_DATASET_DATASET_INFO_CHECK_H
#define STK_STORAGE_DATASET_DATASET_INFO_CHECK_H

#include <stoker/dataset_info.h>
#include <stoker/shards.h>

/* The file that marks a pack made by Stoker. */
#define STK_PACK_MARK ".stoker-pack.json"

/* shards: all shards of folder. STK_E_DATALOSS for a split that is described twice or has another
 * number of files; in packs of Stoker also for other sizes than were written, and for undescribed
 * files. */
STK_NODISCARD stk_status stk_dataset_info_check(const stk_dataset_info *info,
                                                const stk_filesystem *fs, const char *folder,
                                                const stk_shards *shards, stk_error *err);

#endif
