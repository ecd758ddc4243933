/* Reads elements from chunks. Checksums were verified, so a record that does not decode was written
 * wrong or belongs to another file. */
#include "pipeline/support/chunk_file.h"
#include "storage/file/paths.h"

#include <inttypes.h>
#include <stdlib.h>

struct stk_chunk_reader {
    stk_chunk_location   location;
    stk_chunk_list       list;
    uint64_t             chunk;   /* the one being read, or the next */
    uint64_t             element; /* number in it of the next */
    stk_tfrecord_reader *file;    /* NULL: not open */
    stk_blob             path;
};

static uint64_t count_of(const stk_chunk_reader *reader, uint64_t chunk)
{
    return ((const uint64_t *)(const void *)reader->list.counts.data)[chunk];
}

stk_status stk_chunk_reader_open(stk_chunk_reader **out, const stk_chunk_location *location,
                                 stk_materialized_epoch *pass, stk_error *err)
{
    *out = NULL;
    bool              found;
    stk_chunk_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return stk_fail(err, STK_E_NOMEM, location->component, location->directory,
                        "no memory to read");
    reader->location = *location;
    stk_blob_init(&reader->list.counts, location->ledger, STK_MEMORY_INDEX);
    stk_blob_init(&reader->path, NULL, STK_MEMORY_INDEX);
    const stk_status st = stk_chunk_list_read(&reader->list, location, &found, err);
    if (st || !found) {
        stk_chunk_reader_free(reader);
        return st;
    }
    *pass = reader->list.pass;
    *out = reader;
    return STK_OK;
}

void stk_chunk_reader_free(stk_chunk_reader *reader)
{
    if (!reader) return;
    stk_tfrecord_reader_free(reader->file);
    stk_blob_release(&reader->list.counts);
    stk_blob_release(&reader->path);
    free(reader);
}

static void close_chunk(stk_chunk_reader *reader)
{
    stk_tfrecord_reader_free(reader->file);
    reader->file = NULL;
    reader->element = 0;
    reader->chunk++;
}

static stk_status damaged(const stk_chunk_reader *reader, uint64_t offset, const char *what,
                          stk_error *err)
{
    return stk_fail(err, STK_E_DATALOSS, reader->location.component,
                    (const char *)reader->path.data,
                    "%s at offset %" PRIu64
                    "; the rest of the chunk is passed over. Remove the folder to have it made "
                    "anew",
                    what, offset);
}

static stk_status check_head(const stk_chunk_reader *reader, stk_record record, stk_error *err)
{
    stk_state_in in = {.left = record.bytes, .component = reader->location.component};
    uint64_t     token, index;
    if (!record.bytes.data || stk_state_get_u64(&in, &token, NULL) ||
        stk_state_get_u64(&in, &index, NULL) || token != reader->list.token ||
        index != reader->chunk || in.left.size)
        return damaged(reader, record.offset, "this is not the chunk that was written here", err);
    return STK_OK;
}

static stk_status open_chunk(stk_chunk_reader *reader, stk_error *err)
{
    const stk_tfrecord_options options = {.ledger = reader->location.ledger};
    char                       name[STK_CHUNK_NAME];
    stk_record                 record;
    STK_TRY(stk_path_join(&reader->path, reader->location.directory,
                          stk_chunk_name(name, reader->list.token, reader->chunk), err));
    STK_TRY(stk_tfrecord_reader_open(&reader->file, reader->location.fs,
                                     (const char *)reader->path.data, &options, err));
    STK_TRY(stk_tfrecord_reader_next(reader->file, &record, err));
    return check_head(reader, record, err);
}

/* Opens the chunk of the next element; *there is false at the end. */
static stk_status find_chunk(stk_chunk_reader *reader, bool *there, stk_error *err)
{
    while (reader->chunk < reader->list.chunks &&
           reader->element == count_of(reader, reader->chunk))
        close_chunk(reader);
    *there = reader->chunk < reader->list.chunks;
    return *there && !reader->file ? open_chunk(reader, err) : STK_OK;
}

static stk_status decode(const stk_chunk_reader *reader, stk_record record, stk_element **out,
                         stk_error *err)
{
    stk_state_in     in = {.left = record.bytes,
                           .component = reader->location.component,
                           .ledger = reader->location.ledger};
    const stk_status st = stk_state_get_element(&in, out, err);
    if (st && st != STK_E_DATALOSS && st != STK_E_LIMIT) return st;
    if (!st && *out && !in.left.size) return STK_OK;
    stk_element_unref(*out);
    *out = NULL;
    return damaged(reader, record.offset, "a record is no element", err);
}

static stk_status read_next(stk_chunk_reader *reader, stk_element **out, stk_error *err)
{
    bool       there;
    stk_record record;
    STK_TRY(find_chunk(reader, &there, err));
    if (!there) return STK_OK;
    STK_TRY(stk_tfrecord_reader_next(reader->file, &record, err));
    if (!record.bytes.data) return damaged(reader, record.offset, "the chunk is cut off", err);
    STK_TRY(decode(reader, record, out, err));
    reader->element++;
    return STK_OK;
}

/* Adds the fix to the record reader's error. */
static stk_status advise(const stk_chunk_reader *reader, stk_status st, stk_error *err)
{
    if (st != STK_E_DATALOSS || !err || err->component == reader->location.component) return st;
    const stk_error found = *err;
    return stk_fail(err, st, reader->location.component, found.where,
                    "%.300s; the rest of the chunk is passed over. Remove the folder to have it "
                    "made anew",
                    found.message);
}

stk_status stk_chunk_reader_next(stk_chunk_reader *reader, stk_element **out, stk_error *err)
{
    *out = NULL;
    const stk_status st = read_next(reader, out, err);
    if (st && reader->chunk < reader->list.chunks) close_chunk(reader);
    return advise(reader, st, err);
}

static stk_status skip_in_chunk(stk_chunk_reader *reader, uint64_t count, uint64_t *skipped,
                                stk_error *err)
{
    const uint64_t left = count_of(reader, reader->chunk) - reader->element;
    if (count >= left) { /* the complete chunk: not opened at all */
        *skipped = left;
        close_chunk(reader);
        return STK_OK;
    }
    bool there;
    STK_TRY(find_chunk(reader, &there, err));
    STK_TRY(stk_tfrecord_reader_skip(reader->file, count, skipped, err));
    reader->element += *skipped;
    return *skipped < count ? damaged(reader, 0, "the chunk is cut off", err) : STK_OK;
}

stk_status stk_chunk_reader_skip(stk_chunk_reader *reader, uint64_t count, uint64_t *skipped,
                                 stk_error *err)
{
    *skipped = 0;
    while (*skipped < count && reader->chunk < reader->list.chunks) {
        uint64_t now;
        STK_TRY(skip_in_chunk(reader, count - *skipped, &now, err));
        *skipped += now;
    }
    return STK_OK;
}
