/* Internals of finding shards. */
#ifndef STK_STORAGE_DATASET_SHARDS_COMPLETE_H
#define STK_STORAGE_DATASET_SHARDS_COMPLETE_H

#include <stdbool.h>
#include <stoker/shards.h>

/* Whether a file name is that of TFRecords: *.tfrecord*, *.tfrec*, *-00000-of-00001. */
bool stk_shards_is_record_name(const char *name);

/* STK_E_DATALOSS naming the missing files of a "-of-" set. With a pattern only those that it
 * matches count. path: for messages. */
STK_NODISCARD stk_status stk_shards_check_complete(const stk_shards *shards, const char *path,
                                                   const char *pattern, stk_error *err);

#endif
