/* The list of chunks in a folder: one TFRecord, for its checksum; written last, as the mark of
 * completeness. */
#include "pipeline/support/chunk_file.h"
#include "storage/file/paths.h"

#include <inttypes.h>
#include <stdio.h>

static const char magic[] = "stoker chunks";

char *stk_chunk_name(char name[STK_CHUNK_NAME], uint64_t token, uint64_t index)
{
    snprintf(name, STK_CHUNK_NAME, "chunk-%016" PRIx64 "-%05" PRIu64, token, index);
    return name;
}

stk_status stk_chunk_list_encode(const stk_chunk_list *list, stk_blob *out, stk_error *err)
{
    stk_state_out   into = {.blob = out};
    const uint64_t *counts = (const uint64_t *)(const void *)list->counts.data;
    STK_TRY(stk_state_put_bytes(&into, stk_bytes_text(magic), err));
    STK_TRY(stk_state_put_u64(&into, STK_CHUNK_VERSION, err));
    STK_TRY(stk_state_put_u64(&into, list->fingerprint, err));
    STK_TRY(stk_state_put_u64(&into, list->content, err));
    STK_TRY(stk_state_put_u64(&into, list->token, err));
    STK_TRY(stk_state_put_u64(&into, list->pass.epoch, err));
    STK_TRY(stk_state_put_u64(&into, list->pass.lineage, err));
    STK_TRY(stk_state_put_u64(&into, list->pass.seed.seed, err));
    STK_TRY(stk_state_put_u64(&into, list->pass.seed.generation, err));
    STK_TRY(stk_state_put_u64(&into, list->chunks, err));
    for (uint64_t i = 0; i < list->chunks; i++)
        STK_TRY(stk_state_put_u64(&into, counts[i], err));
    return STK_OK;
}

static stk_status decode_counts(stk_chunk_list *list, stk_state_in *in, stk_error *err)
{
    STK_TRY(stk_state_get_count(in, in->left.size, &list->chunks, err));
    for (uint64_t i = 0; i < list->chunks; i++) {
        uint64_t count;
        STK_TRY(stk_state_get_count(in, UINT64_MAX / 2, &count, err));
        STK_TRY(stk_blob_append(&list->counts, &count, sizeof count, err));
    }
    return in->left.size ? stk_state_damaged(in, "there is more than was expected", err) : STK_OK;
}

static stk_status decode(stk_chunk_list *list, stk_state_in *in, uint64_t *version, stk_error *err)
{
    stk_bytes text;
    STK_TRY(stk_state_get_bytes(in, &text, err));
    if (!stk_bytes_equal(text, stk_bytes_text(magic)))
        return stk_state_damaged(in, "no list of chunks", err);
    STK_TRY(stk_state_get_u64(in, version, err));
    if (*version != STK_CHUNK_VERSION) return STK_OK;
    STK_TRY(stk_state_get_u64(in, &list->fingerprint, err));
    STK_TRY(stk_state_get_u64(in, &list->content, err));
    STK_TRY(stk_state_get_u64(in, &list->token, err));
    STK_TRY(stk_state_get_u64(in, &list->pass.epoch, err));
    STK_TRY(stk_state_get_u64(in, &list->pass.lineage, err));
    STK_TRY(stk_state_get_u64(in, &list->pass.seed.seed, err));
    STK_TRY(stk_state_get_u64(in, &list->pass.seed.generation, err));
    return decode_counts(list, in, err);
}

stk_status stk_chunk_list_decode(stk_chunk_list *list, stk_bytes bytes, const char *component,
                                 stk_error *err)
{
    stk_state_in in = {.left = bytes, .component = component, .ledger = list->counts.ledger};
    uint64_t     version = STK_CHUNK_VERSION;
    stk_status   st = decode(list, &in, &version, err);
    if (st == STK_E_DATALOSS)
        return stk_fail(err, st, component, NULL,
                        "the list of chunks is damaged; remove the folder to have it made anew");
    if (!st && version != STK_CHUNK_VERSION)
        return stk_fail(err, STK_E_UNSUPPORTED, component, NULL,
                        "the folder has version %" PRIu64
                        ", this program reads %d; remove it to have it made anew",
                        version, STK_CHUNK_VERSION);
    return st;
}

static stk_status read_file(stk_chunk_list *list, const stk_chunk_location *location,
                            const char *path, stk_error *err)
{
    const stk_tfrecord_options options = {.compression = STK_COMPRESSION_NONE,
                                          .buffer_bytes = 4096,
                                          .max_record_bytes = STK_CHUNK_LIST_BYTES_MAX,
                                          .ledger = location->ledger};
    stk_tfrecord_reader       *reader;
    stk_record                 record;
    STK_TRY(stk_tfrecord_reader_open(&reader, location->fs, path, &options, err));
    stk_status st = stk_tfrecord_reader_next(reader, &record, err);
    if (!st && !record.bytes.data)
        st =
            stk_fail(err, STK_E_DATALOSS, location->component, NULL, "the list of chunks is empty");
    if (!st) st = stk_chunk_list_decode(list, record.bytes, location->component, err);
    stk_tfrecord_reader_free(reader);
    return st;
}

/* The list's path locates the decoder's error. */
static void name_file(stk_error *err, const char *path)
{
    if (err && !err->where[0]) snprintf(err->where, sizeof err->where, "%s", path);
}

stk_status stk_chunk_list_read(stk_chunk_list *list, const stk_chunk_location *location,
                               bool *found, stk_error *err)
{
    stk_blob path;
    *found = false;
    stk_blob_init(&path, NULL, STK_MEMORY_INDEX);
    stk_status st = stk_path_join(&path, location->directory, STK_CHUNK_LIST, err);
    if (!st) st = read_file(list, location, (const char *)path.data, err);
    if (st && st != STK_E_NOTFOUND && path.data) name_file(err, (const char *)path.data);
    stk_blob_release(&path);
    if (st == STK_E_NOTFOUND) return STK_OK;
    STK_TRY(st);
    if (list->fingerprint != location->fingerprint)
        return stk_fail(err, STK_E_INVALID, location->component, location->directory,
                        "the folder holds the elements of another pipeline (%016" PRIx64
                        ", this one is %016" PRIx64 "); remove it or name another",
                        list->fingerprint, location->fingerprint);
    if (list->content && location->content && list->content != location->content)
        return stk_fail(err, STK_E_INVALID, location->component, location->directory,
                        "the folder holds the elements of the same pipeline over other files, by "
                        "their sizes or how they begin; remove it or name another");
    *found = true;
    return STK_OK;
}
