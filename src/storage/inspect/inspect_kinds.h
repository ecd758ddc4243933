/* The two ways to inspect a data set. Both fill total and the report's files; stk_inspect derives
 * the rest from total. */
#ifndef STK_STORAGE_INSPECT_INSPECT_KINDS_H
#define STK_STORAGE_INSPECT_INSPECT_KINDS_H

#include "storage/inspect/inspect_part.h"

#include <stoker/shards.h>

typedef struct stk_inspect_call {
    const stk_filesystem *fs;
    const char           *path;
    bool                  complete_folder; /* path is a folder, so all its splits must exist */
    stk_inspect_options   options;         /* with defaults filled in */
    stk_inspect_part      total;
    stk_inspect_report   *report;
} stk_inspect_call;

/* TFRecord files. */
STK_NODISCARD stk_status stk_inspect_records(stk_inspect_call *call, const stk_shards *shards,
                                             stk_error *err);
/* Any other source. */
STK_NODISCARD stk_status stk_inspect_source(stk_inspect_call *call, stk_error *err);

/* Fills the report's class list from a sorted tally. names may be NULL; classes that have a name
 * but do not occur are listed with a count of 0 when all_read. */
STK_NODISCARD stk_status stk_inspect_list_classes(stk_inspect_report *report, const char *feature,
                                                  stk_tally *tally, const stk_feature_info *names,
                                                  bool all_read, stk_error *err);

/* Compares dataset_info.json with the shards found; differences are damage. */
STK_NODISCARD stk_status stk_inspect_compare_info(stk_inspect_call       *call,
                                                  const stk_dataset_info *info, stk_error *err);

/* Names the tensor types of raw byte strings from features.json. */
void stk_inspect_name_tensors(stk_inspect_schema *schema, const stk_dataset_info *info);

/* The number of threads for the options and the number of portions; at least 1. */
int stk_inspect_threads(const stk_inspect_options *options, uint64_t portions);

#endif
