/* Writes elements into chunks. */
#include "base/clock.h"
#include "pipeline/support/chunk_file.h"
#include "storage/file/paths.h"

#include <stdlib.h>
#include <sys/random.h>

struct stk_chunk_writer {
    stk_chunk_location   location;
    stk_chunk_list       list;            /* of the chunks that are committed */
    stk_tfrecord_writer *file;            /* the current chunk; NULL: none */
    uint64_t             bytes, elements; /* in it */
    stk_blob             record;
    stk_blob             path;
    bool                 finished;
};

/* Writers never share names: without locks two may write into one folder, and the last list still
 * names complete chunks of one writer only. */
static uint64_t fresh_token(void)
{
    uint64_t token = 0;
    if (getrandom(&token, sizeof token, 0) != (ssize_t)sizeof token) token = stk_clock_ns();
    return token;
}

stk_status stk_chunk_writer_open(stk_chunk_writer **out, const stk_chunk_location *location,
                                 stk_error *err)
{
    *out = NULL;
    stk_chunk_writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        return stk_fail(err, STK_E_NOMEM, location->component, location->directory,
                        "no memory to write");
    writer->location = *location;
    if (!writer->location.chunk_bytes) writer->location.chunk_bytes = STK_CHUNK_BYTES;
    writer->list = (stk_chunk_list){
        .fingerprint = location->fingerprint, .content = location->content, .token = fresh_token()};
    stk_blob_init(&writer->list.counts, location->ledger, STK_MEMORY_OUTPUT);
    stk_blob_init(&writer->record, location->ledger, STK_MEMORY_OUTPUT);
    stk_blob_init(&writer->path, NULL, STK_MEMORY_INDEX);
    *out = writer;
    return STK_OK;
}

static stk_status set_path(stk_chunk_writer *writer, uint64_t index, stk_error *err)
{
    char name[STK_CHUNK_NAME];
    return stk_path_join(&writer->path, writer->location.directory,
                         stk_chunk_name(name, writer->list.token, index), err);
}

/* A chunk carries its writer's token, so that a misplaced one is detected. */
static stk_status open_chunk(stk_chunk_writer *writer, stk_error *err)
{
    const stk_tfrecord_options options = {.compression = writer->location.compression,
                                          .ledger = writer->location.ledger};
    STK_TRY(set_path(writer, writer->list.chunks, err));
    STK_TRY(stk_tfrecord_writer_open(&writer->file, writer->location.fs,
                                     (const char *)writer->path.data, &options, err));
    stk_state_out out = {.blob = &writer->record};
    writer->record.size = 0;
    STK_TRY(stk_state_put_u64(&out, writer->list.token, err));
    STK_TRY(stk_state_put_u64(&out, writer->list.chunks, err));
    writer->bytes = writer->elements = 0;
    return stk_tfrecord_writer_write(writer->file, stk_blob_bytes(&writer->record), err);
}

static stk_status close_chunk(stk_chunk_writer *writer, stk_error *err)
{
    STK_TRY(stk_tfrecord_writer_commit(writer->file, err));
    stk_tfrecord_writer_free(writer->file);
    writer->file = NULL;
    writer->list.chunks++;
    return stk_blob_append(&writer->list.counts, &writer->elements, sizeof writer->elements, err);
}

stk_status stk_chunk_writer_add(stk_chunk_writer *writer, const stk_element *element,
                                stk_error *err)
{
    if (!writer->file) STK_TRY(open_chunk(writer, err));
    stk_state_out out = {.blob = &writer->record};
    writer->record.size = 0;
    STK_TRY(stk_state_put_element(&out, element, err));
    STK_TRY(stk_tfrecord_writer_write(writer->file, stk_blob_bytes(&writer->record), err));
    writer->bytes += writer->record.size;
    writer->elements++;
    return writer->bytes < writer->location.chunk_bytes ? STK_OK : close_chunk(writer, err);
}

static stk_status write_list(stk_chunk_writer *writer, stk_error *err)
{
    const stk_tfrecord_options options = {.compression = STK_COMPRESSION_NONE,
                                          .buffer_bytes = 4096,
                                          .max_record_bytes = STK_CHUNK_LIST_BYTES_MAX};
    stk_tfrecord_writer       *file;
    writer->record.size = 0;
    STK_TRY(stk_chunk_list_encode(&writer->list, &writer->record, err));
    STK_TRY(stk_path_join(&writer->path, writer->location.directory, STK_CHUNK_LIST, err));
    STK_TRY(stk_tfrecord_writer_open(&file, writer->location.fs, (const char *)writer->path.data,
                                     &options, err));
    stk_status st = stk_tfrecord_writer_write(file, stk_blob_bytes(&writer->record), err);
    if (!st) st = stk_tfrecord_writer_commit(file, err);
    stk_tfrecord_writer_free(file);
    return st;
}

stk_status stk_chunk_writer_finish(stk_chunk_writer *writer, const stk_materialized_epoch *pass,
                                   stk_error *err)
{
    writer->list.pass = *pass;
    if (writer->file) STK_TRY(close_chunk(writer, err));
    STK_TRY(write_list(writer, err));
    writer->finished = true;
    return STK_OK;
}

void stk_chunk_writer_free(stk_chunk_writer *writer)
{
    if (!writer) return;
    stk_tfrecord_writer_free(writer->file);
    for (uint64_t i = 0; !writer->finished && i < writer->list.chunks; i++)
        if (!set_path(writer, i, NULL))
            (void)!stk_path_remove(writer->location.fs, (const char *)writer->path.data, NULL);
    stk_blob_release(&writer->list.counts);
    stk_blob_release(&writer->record);
    stk_blob_release(&writer->path);
    free(writer);
}

static bool is_remains(const char *name)
{
    const size_t size = strlen(name);
    if (strncmp(name, "chunk-", 6) == 0) return true;
    return (strncmp(name, ".chunk-", 7) == 0 || strncmp(name, "." STK_CHUNK_LIST, 9) == 0) &&
           size > 4 && strcmp(name + size - 4, ".tmp") == 0;
}

static stk_status note_remains(void *context, const char *name, const stk_file_info *info,
                               stk_error *err)
{
    (void)info;
    return is_remains(name) ? stk_blob_append(context, name, strlen(name) + 1, err) : STK_OK;
}

stk_status stk_chunks_clean(const stk_chunk_location *location, stk_error *err)
{
    stk_blob names, path;
    stk_blob_init(&names, NULL, STK_MEMORY_INDEX);
    stk_blob_init(&path, NULL, STK_MEMORY_INDEX);
    stk_status st =
        stk_path_list(location->fs, location->directory, STK_LIST_KINDS, note_remains, &names, err);
    for (size_t at = 0; at < names.size && !st; at += strlen((char *)names.data + at) + 1) {
        st = stk_path_join(&path, location->directory, (const char *)names.data + at, err);
        if (!st) st = stk_path_remove(location->fs, (const char *)path.data, err);
    }
    stk_blob_release(&names);
    stk_blob_release(&path);
    return st;
}
