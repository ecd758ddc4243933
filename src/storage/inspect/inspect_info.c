/* Compares a data set's description with its content. */
#include "storage/file/paths.h"
#include "storage/inspect/inspect_kinds.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const stk_split_info *find_split(const stk_dataset_info *info, const char *name)
{
    for (size_t i = 0; i < info->split_count; i++)
        if (!strcmp(info->splits[i].name, name)) return &info->splits[i];
    return NULL;
}

static stk_status note(stk_inspect_call *call, stk_inspect_file *file, const stk_error *reason,
                       stk_error *err)
{
    file->bad++;
    return stk_inspect_part_add_bad(&call->total, &call->options, file->path, file->records, 0,
                                    reason, err);
}

static stk_status compare_file(stk_inspect_call *call, stk_inspect_file *file,
                               const stk_dataset_info *info, stk_error *err)
{
    stk_shard_name        shard;
    stk_error             reason;
    const stk_split_info *split = find_split(info, file->split);
    if (!split || !split->shard_count || !stk_shard_name_parse(stk_path_base(file->path), &shard))
        return STK_OK;
    if (shard.count != split->shard_count) {
        (void)stk_fail(&reason, STK_E_DATALOSS, "inspect", file->path,
                       "it is one of %" PRIu32 " shards of '%s', dataset_info.json lists %zu",
                       shard.count, file->split, split->shard_count);
        return note(call, file, &reason, err);
    }
    const uint64_t expected = split->shard_lengths[shard.index];
    if (expected == file->records) return STK_OK;
    (void)stk_fail(&reason, STK_E_DATALOSS, "inspect", file->path,
                   "it has %" PRIu64 " records, dataset_info.json says %" PRIu64, file->records,
                   expected);
    return note(call, file, &reason, err);
}

/* A missing shard is an error before anything is read; a missing split shows only here. */
static stk_status find_missing_split(stk_inspect_call *call, const stk_split_info *split,
                                     stk_error *err)
{
    stk_error reason;
    for (size_t i = 0; i < call->report->file_count; i++)
        if (!strcmp(call->report->files[i].split, split->name)) return STK_OK;
    if (!split->shard_count) return STK_OK;
    (void)stk_fail(&reason, STK_E_DATALOSS, "inspect", call->path,
                   "dataset_info.json lists %zu shards of split '%s', none is here",
                   split->shard_count, split->name);
    return stk_inspect_part_add_bad(&call->total, &call->options, call->path, 0, 0, &reason, err);
}

stk_status stk_inspect_compare_info(stk_inspect_call *call, const stk_dataset_info *info,
                                    stk_error *err)
{
    for (size_t i = 0; i < call->report->file_count; i++)
        STK_TRY(compare_file(call, &call->report->files[i], info, err));
    for (size_t i = 0; i < info->split_count && call->complete_folder; i++)
        STK_TRY(find_missing_split(call, &info->splits[i], err));
    return STK_OK;
}

/* Content found by looking says more than a description could, so only what nothing was found in is
 * named. */
void stk_inspect_name_tensors(stk_inspect_schema *schema, const stk_dataset_info *info)
{
    for (size_t i = 0; i < stk_inspect_schema_count(schema); i++) {
        stk_inspect_feature *seen = &stk_inspect_schema_at(schema, i)->seen;
        char                 shape[32];
        if (seen->dtype != STK_DTYPE_BYTES || seen->content[0]) continue;
        const stk_feature_info *said = stk_dataset_info_feature(info, seen->name);
        if (!said || said->meaning != STK_MEANING_TENSOR || said->dtype == STK_DTYPE_BYTES)
            continue;
        snprintf(seen->content, sizeof seen->content, "%s%s", stk_dtype_name(said->dtype),
                 stk_shape_text(&said->shape, shape, sizeof shape));
    }
}
