/* Whether a folder holds what its description says. */
#ifndef STK_STORAGE_DATASET_DATASET_INFO_CHECK_H
#define STK_STORAGE_DATASET_DATASET_INFO_CHECK_H

#include <stoker/dataset_info.h>
#include <stoker/shards.h>

/* The file beside a pack that says that we made it. */
#define STK_PACK_MARK ".stoker-pack.json"

/* shards are all of folder. STK_E_DATALOSS for a split that is told twice or has another number of
 * files; of packs of ours also for other bytes than were written, and for files of which nothing is
 * told. */
STK_NODISCARD stk_status stk_dataset_info_check(const stk_dataset_info *info,
                                                const stk_filesystem *fs, const char *folder,
                                                const stk_shards *shards, stk_error *err);

#endif
