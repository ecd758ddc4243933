/* What finding shards needs besides stoker/shards.h. */
#ifndef STK_STORAGE_DATASET_SHARDS_COMPLETE_H
#define STK_STORAGE_DATASET_SHARDS_COMPLETE_H

#include <stdbool.h>
#include <stoker/shards.h>

/* Whether a file is named as TFRecords are: *.tfrecord*, *.tfrec*, *-00000-of-00001. */
bool stk_shards_is_record_name(const char *name);

/* STK_E_DATALOSS naming files that a set "-of-" lacks. With a pattern only those count that it
 * would have matched: leaving out the others was asked for. path is what was searched. */
STK_NODISCARD stk_status stk_shards_check_complete(const stk_shards *shards, const char *path,
                                                   const char *pattern, stk_error *err);

#endif
