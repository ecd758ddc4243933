/* Training on a pack with truncated or mixed files would silently use other counts, orders and
 * weights. Comparing sizes detects that for free. Other writers of this format count bytes
 * differently, so only their number of files is checked. */
#include "storage/dataset/dataset_info_check.h"

#include "storage/file/paths.h"

#include <inttypes.h>
#include <stoker/tfrecord.h>
#include <string.h>

enum { RECORD_BYTES_MIN = 16 /* bytes of a file, for a record of none */ };

typedef struct files {
    size_t   count;
    uint64_t bytes;
} files;

/* An empty training split would make an endless epoch. Compressed files may hold any number of
 * records. */
static stk_status check_length(const stk_filesystem *fs, const char *path, uint64_t records,
                               uint64_t bytes, stk_error *err)
{
    stk_tfrecord_reader *reader;
    if (records <= bytes / RECORD_BYTES_MIN) return STK_OK;
    STK_TRY(stk_tfrecord_reader_open(&reader, fs, path, NULL, err));
    const bool plain = stk_tfrecord_reader_compression(reader) == STK_COMPRESSION_NONE;
    stk_tfrecord_reader_free(reader);
    if (!plain) return STK_OK;
    return stk_fail(err, STK_E_DATALOSS, "dataset info", path,
                    "dataset_info.json tells of %" PRIu64 " records in this file, and its %" PRIu64
                    " bytes hold %" PRIu64 " at most; packing again mends it",
                    records, bytes, bytes / RECORD_BYTES_MIN);
}

static stk_status add_up(files *out, const stk_split_info *split, const stk_filesystem *fs,
                         const stk_shards *shards, stk_error *err)
{
    *out = (files){0};
    for (size_t i = 0; i < shards->count; i++) {
        stk_file_info info;
        if (strcmp(shards->splits[i], split->name) != 0) continue;
        STK_TRY(stk_path_info(fs, shards->paths[i], &info, err));
        if (out->count < split->shard_count)
            STK_TRY(check_length(fs, shards->paths[i], split->shard_lengths[out->count], info.bytes,
                                 err));
        out->count++;
        out->bytes += info.bytes;
    }
    return STK_OK;
}

static stk_status check_split(const stk_split_info *split, bool ours, const files *found,
                              const char *folder, stk_error *err)
{
    if (found->count && found->count != split->shard_count)
        return stk_fail(err, STK_E_DATALOSS, "dataset info", folder,
                        "dataset_info.json tells of %zu files of split \"%s\", and there are %zu; "
                        "'stoker inspect' says more, packing again mends it",
                        split->shard_count, split->name, found->count);
    if (ours && found->bytes != split->bytes)
        return stk_fail(err, STK_E_DATALOSS, "dataset info", folder,
                        "the files of split \"%s\" have %" PRIu64 " bytes, and %" PRIu64
                        " were packed: one was cut or changed; 'stoker inspect' names it, packing "
                        "again mends it",
                        split->name, found->bytes, split->bytes);
    return STK_OK;
}

static bool is_told_before(const stk_dataset_info *info, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(info->splits[i].name, info->splits[index].name) == 0) return true;
    return false;
}

static stk_status find_mark(const stk_filesystem *fs, const char *folder, bool *found,
                            stk_error *err)
{
    stk_blob path;
    stk_blob_init(&path, NULL, STK_MEMORY_INDEX);
    stk_status st = stk_path_join(&path, folder, STK_PACK_MARK, err);
    if (!st) st = stk_path_exists(fs, (const char *)path.data, found, NULL, err);
    stk_blob_release(&path);
    return st;
}

static bool is_told(const stk_dataset_info *info, const char *split)
{
    for (size_t i = 0; i < info->split_count; i++)
        if (strcmp(info->splits[i].name, split) == 0) return true;
    return false;
}

/* A pack is complete once its description exists, and that lists all files. */
static stk_status check_all_told(const stk_dataset_info *info, const char *folder,
                                 const stk_shards *shards, stk_error *err)
{
    for (size_t i = 0; i < shards->count; i++)
        if (!is_told(info, shards->splits[i]))
            return stk_fail(err, STK_E_DATALOSS, "dataset info", folder,
                            "this pack has files of split \"%s\", of which dataset_info.json does "
                            "not tell: it is missing or was changed; packing again mends it",
                            shards->splits[i]);
    return STK_OK;
}

stk_status stk_dataset_info_check(const stk_dataset_info *info, const stk_filesystem *fs,
                                  const char *folder, const stk_shards *shards, stk_error *err)
{
    bool ours;
    STK_TRY(find_mark(fs, folder, &ours, err));
    for (size_t i = 0; i < info->split_count; i++) {
        files found;
        if (is_told_before(info, i))
            return stk_fail(err, STK_E_DATALOSS, "dataset info", folder,
                            "dataset_info.json tells of split \"%s\" twice", info->splits[i].name);
        STK_TRY(add_up(&found, &info->splits[i], fs, shards, err));
        STK_TRY(check_split(&info->splits[i], ours, &found, folder, err));
    }
    return ours ? check_all_told(info, folder, shards, err) : STK_OK;
}
