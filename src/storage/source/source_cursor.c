/* A thread's view of a source: one sample at a time, in memory of its own. */
#include "base/buffer_adopt.h"
#include "storage/file/paths.h"
#include "storage/source/source_internal.h"

#include <inttypes.h>
#include <stdlib.h>

static stk_status prepare(stk_source_cursor *cursor, const stk_source *source, stk_error *err)
{
    const size_t count = source->feature_count;
    stk_blob_init(&cursor->content, source->arena.ledger, STK_MEMORY_RECORD);
    stk_blob_init(&cursor->path, source->arena.ledger, STK_MEMORY_RECORD);
    cursor->source = source;
    if (source->importer->cursor_open) source->importer->cursor_open(cursor);
    cursor->fields = calloc(count ? count : 1, sizeof *cursor->fields);
    cursor->values = calloc(count ? count : 1, sizeof *cursor->values);
    if (!cursor->fields || !cursor->values)
        return stk_fail(err, STK_E_NOMEM, "source", source->path, "no memory for %zu fields",
                        count);
    for (size_t i = 0; i < count; i++) {
        const stk_feature_info *feature = &source->features[i];
        cursor->fields[i] = (stk_field){.name = feature->name,
                                        .dtype = feature->dtype,
                                        .shape = feature->shape,
                                        .data = &cursor->values[i],
                                        .count = 1};
    }
    cursor->sample.fields = cursor->fields;
    cursor->sample.field_count = count;
    return STK_OK;
}

stk_status stk_source_cursor_new(stk_source_cursor **out, const stk_source *source, stk_error *err)
{
    *out = NULL;
    stk_source_cursor *cursor = calloc(1, source->importer->cursor_bytes);
    if (!cursor)
        return stk_fail(err, STK_E_NOMEM, "source", source->path, "no memory for a cursor");
    const stk_status st = prepare(cursor, source, err);
    if (st) {
        stk_source_cursor_free(cursor);
        return st;
    }
    *out = cursor;
    return STK_OK;
}

void stk_source_cursor_free(stk_source_cursor *cursor)
{
    if (!cursor) return;
    if (cursor->source->importer->cursor_close) cursor->source->importer->cursor_close(cursor);
    stk_blob_release(&cursor->content);
    stk_blob_release(&cursor->path);
    free(cursor->fields);
    free(cursor->values);
    free(cursor);
}

void stk_source_cursor_use(stk_source_cursor *cursor, stk_ledger *ledger)
{
    stk_blob_release(&cursor->content);
    stk_blob_init(&cursor->content, ledger, STK_MEMORY_RECORD);
}

void stk_source_cursor_trim(stk_source_cursor *cursor)
{
    enum { SMALL = 256 << 10 };
    if (cursor->content.capacity > SMALL) stk_source_cursor_use(cursor, cursor->content.ledger);
}

stk_status stk_source_cursor_share(stk_source_cursor *cursor, stk_buffer **out, stk_error *err)
{
    return stk_buffer_adopt(out, &cursor->content, err);
}

stk_status stk_source_read(stk_source_cursor *cursor, uint64_t index, const stk_sample **out,
                           stk_error *err)
{
    const stk_source *source = cursor->source;
    stk_error         unasked;
    *out = NULL;
    if (index >= source->count)
        return stk_fail(err, STK_E_RANGE, "source", source->path,
                        "item %" PRIu64 " of %" PRIu64 " does not exist", index, source->count);
    STK_TRY(source->importer->read(cursor, index, err ? err : &unasked));
    *out = &cursor->sample;
    return STK_OK;
}

static stk_status say_changed(const stk_source_cursor *cursor, uint64_t before, uint64_t now,
                              stk_error *err)
{
    return stk_fail(err, STK_E_DATALOSS, "read", (const char *)cursor->path.data,
                    "changed while being read: was %" PRIu64 " bytes, now %" PRIu64, before, now);
}

void stk_source_cursor_limit(stk_source_cursor *cursor, uint64_t bytes_max)
{
    cursor->bytes_max = bytes_max;
}

static stk_status read_beginning(stk_source_cursor *cursor, stk_error *err)
{
    const size_t bytes_max = (size_t)cursor->bytes_max;
    size_t       got;
    stk_file    *file;
    STK_TRY(stk_blob_reserve(&cursor->content, bytes_max, err));
    STK_TRY(stk_file_open(&file, cursor->source->fs, (const char *)cursor->path.data,
                          STK_ACCESS_RANDOM, err));
    const stk_status st = stk_file_read_at(file, cursor->content.data, bytes_max, 0, &got, err);
    stk_file_close(file);
    cursor->content.size = st ? 0 : got;
    return st;
}

stk_status stk_source_read_file(stk_source_cursor *cursor, const char *folder, const char *name,
                                uint64_t bytes, stk_error *err)
{
    const stk_filesystem *fs = cursor->source->fs;
    STK_TRY(stk_path_join(&cursor->path, folder, name, err));
    if (cursor->bytes_max && cursor->bytes_max < bytes) return read_beginning(cursor, err);
    const char      *path = (const char *)cursor->path.data;
    const stk_status st = stk_file_read_all(fs, path, bytes, bytes, &cursor->content, err);
    if (st == STK_E_LIMIT) {
        stk_file_info info;
        STK_TRY(stk_path_info(fs, path, &info, err));
        return say_changed(cursor, bytes, info.bytes, err);
    }
    if (st == STK_E_CEILING) return stk_fail(err, st, "read", path, "%s", err->message);
    if (st) return st;
    if (cursor->content.size != bytes) return say_changed(cursor, bytes, cursor->content.size, err);
    if (!bytes) return stk_fail(err, STK_E_DATALOSS, "read", path, "the file is empty");
    return STK_OK;
}
