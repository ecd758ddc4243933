/* Opens a file's index: the stored one if valid and fresh, else a new one, stored if possible.
 * Builders need no lock: each renames a complete index into place, and all are equal. */
#include "storage/record/record_index_internal.h"
#include "storage/record/tfrecord_format.h"
#include "storage/record/tfrecord_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ".NAME.stkidx" beside NAME; freed by the caller. NULL when there is no memory. */
static char *index_path(const char *path)
{
    const char  *slash = strrchr(path, '/');
    const int    folder = slash ? (int)(slash + 1 - path) : 0;
    const size_t size = strlen(path) + sizeof "..stkidx";
    char        *result = malloc(size);
    if (result) snprintf(result, size, "%.*s.%s.stkidx", folder, path, path + folder);
    return result;
}

static bool is_memory(stk_status st)
{
    return st == STK_E_NOMEM || st == STK_E_CEILING;
}

/* *out stays NULL when there is no index that can be used. */
static stk_status load(stk_record_index **out, const stk_filesystem *fs, const char *kept,
                       const char *path, const stk_file_info *file, stk_ledger *ledger,
                       stk_error *err)
{
    const uint64_t reserved = 64; /* a record takes fewer bytes in the index than in the file */
    stk_blob       content;
    stk_blob_init(&content, ledger, STK_MEMORY_INDEX);
    stk_status st = stk_file_read_all(fs, kept, 0, file->bytes + reserved, &content, err);
    if (!st) st = stk_record_index_decode(out, stk_blob_bytes(&content), file, path, ledger, err);
    stk_blob_release(&content);
    return is_memory(st) ? st : STK_OK;
}

/* Whether a header with the indexed length stands where record number begins. */
static bool has_header(stk_file *file, const stk_record_index *index, uint64_t number)
{
    uint8_t        header[STK_TFRECORD_HEADER];
    size_t         got;
    const uint64_t offset = stk_record_index_offset(index, number);
    return !stk_file_read_at(file, header, sizeof header, offset, &got, NULL) &&
           got == sizeof header && stk_tfrecord_header_is_valid(header) &&
           stk_load_u64(header) == stk_record_index_length(index, number);
}

/* A file can be rewritten with its old size and time: twice within one clock tick, or by a copy
 * that keeps times. Two headers detect it, at the price of two small reads. */
static bool is_of(stk_file *file, const stk_record_index *index)
{
    const uint64_t count = stk_record_index_count(index);
    return !count || (has_header(file, index, count / 2) && has_header(file, index, count - 1));
}

static stk_status build(stk_record_index **out, stk_tfrecord_reader *reader, const char *path,
                        stk_ledger *ledger, stk_error *err)
{
    stk_record_index *index;
    STK_TRY(stk_record_index_new(&index, path, ledger, err));
    bool       passed = true;
    stk_status st = STK_OK;
    while (!st && passed) {
        uint64_t length;
        st = stk_tfrecord_reader_pass(reader, &passed, &length, err);
        if (!st && passed) st = stk_record_index_add(index, length, err);
    }
    if (st) {
        stk_record_index_free(index);
        return st;
    }
    *out = index;
    return STK_OK;
}

static stk_status write_file(const stk_filesystem *fs, const char *kept, stk_bytes content,
                             stk_error *err)
{
    stk_output *output;
    STK_TRY(stk_output_create(&output, fs, kept, err));
    stk_status st = stk_output_write(output, content.data, content.size, err);
    if (!st) st = stk_output_commit(output, err);
    stk_output_close(output);
    return st;
}

/* That an index cannot be kept costs time at the next start and nothing else, so it is no error; a
 * lack of memory is one, as it is everywhere. */
static stk_status save(stk_record_index *index, const stk_filesystem *fs, const char *kept,
                       const stk_file_info *file, stk_ledger *ledger, stk_error *err)
{
    stk_blob content;
    stk_blob_init(&content, ledger, STK_MEMORY_INDEX);
    stk_status st = stk_record_index_encode(index, file, &content, err);
    if (!st) st = write_file(fs, kept, stk_blob_bytes(&content), err);
    stk_blob_release(&content);
    stk_record_index_set_origin(index, st ? STK_INDEX_UNSAVED : STK_INDEX_BUILT);
    return is_memory(st) ? st : STK_OK;
}

static stk_status load_or_build(stk_record_index **out, stk_tfrecord_reader *reader,
                                const stk_filesystem *fs, const char *path, stk_ledger *ledger,
                                stk_error *err)
{
    const stk_file_info *file = &reader->input.file->info;
    char                *kept = index_path(path);
    if (!kept) return stk_fail(err, STK_E_NOMEM, "index", path, "no memory for an index");
    stk_status st = load(out, fs, kept, path, file, ledger, err);
    if (*out && !is_of(reader->input.file, *out)) {
        stk_record_index_free(*out);
        *out = NULL;
    }
    if (!st && !*out) {
        st = build(out, reader, path, ledger, err);
        if (!st) st = save(*out, fs, kept, file, ledger, err);
    }
    if (st) {
        stk_record_index_free(*out);
        *out = NULL;
    }
    free(kept);
    return st;
}

stk_status stk_record_index_open(stk_record_index **out, const stk_filesystem *fs, const char *path,
                                 const stk_tfrecord_options *options, stk_error *err)
{
    *out = NULL;
    stk_tfrecord_reader *reader;
    STK_TRY(stk_tfrecord_reader_open(&reader, fs, path, options, err));
    stk_status            st;
    const stk_compression compression = stk_tfrecord_reader_compression(reader);
    if (compression == STK_COMPRESSION_NONE)
        st = load_or_build(out, reader, fs, path, options ? options->ledger : NULL, err);
    else
        st = stk_fail(err, STK_E_UNSUPPORTED, "index", path,
                      "the file is compressed as a whole (%s), so that no record can be read by "
                      "itself: unpack the file first (gunzip, zstd -d)",
                      stk_compression_name(compression));
    stk_tfrecord_reader_free(reader);
    return st;
}
