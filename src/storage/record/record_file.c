/* Records by number: one read call each, into the caller's memory, so that any number of threads
 * can share the file. */
#include "storage/record/record_index_internal.h"
#include "storage/record/tfrecord_format.h"

#include <inttypes.h>
#include <stdlib.h>

struct stk_record_file {
    stk_file         *file;
    stk_record_index *index;
    uint64_t          max_record_bytes;
};

stk_status stk_record_file_open(stk_record_file **out, const stk_filesystem *fs, const char *path,
                                const stk_tfrecord_options *options, stk_error *err)
{
    *out = NULL;
    stk_record_file *file = calloc(1, sizeof *file);
    if (!file) return stk_fail(err, STK_E_NOMEM, "read", path, "no memory to open the file");
    const uint64_t limit = options ? options->max_record_bytes : 0;
    file->max_record_bytes = limit ? limit : STK_TFRECORD_LIMIT;
    stk_status st = stk_record_index_open(&file->index, fs, path, options, err);
    if (!st) st = stk_file_open(&file->file, fs, path, STK_ACCESS_RANDOM, err);
    if (!st && file->file->info.bytes != stk_record_index_file_bytes(file->index))
        st = stk_fail(err, STK_E_BUSY, "read", path,
                      "the file was changed while it was opened: %" PRIu64 " bytes, then %" PRIu64,
                      stk_record_index_file_bytes(file->index), file->file->info.bytes);
    if (st) {
        stk_record_file_free(file);
        return st;
    }
    *out = file;
    return STK_OK;
}

void stk_record_file_free(stk_record_file *file)
{
    if (!file) return;
    stk_file_close(file->file);
    stk_record_index_free(file->index);
    free(file);
}

const stk_record_index *stk_record_file_index(const stk_record_file *file)
{
    return file->index;
}

static stk_status fail_checksum(const stk_record_file *file, uint64_t number, const char *what,
                                uint32_t found, uint32_t expected, stk_error *err)
{
    return stk_fail(err, STK_E_DATALOSS, "read", file->file->path,
                    "corrupted record %" PRIu64 " at offset %" PRIu64 ": %s checksum is %08" PRIx32
                    ", expected %08" PRIx32,
                    number, stk_record_index_offset(file->index, number), what, found, expected);
}

/* Checks the complete frame of record number. */
static stk_status check_frame(const stk_record_file *file, uint64_t number, const uint8_t *frame,
                              size_t length, stk_error *err)
{
    const uint8_t *data = frame + STK_TFRECORD_HEADER;
    if (!stk_tfrecord_header_is_valid(frame))
        return fail_checksum(file, number, "length", stk_load_u32(frame + STK_TFRECORD_LENGTH),
                             stk_tfrecord_checksum(frame, STK_TFRECORD_LENGTH), err);
    if (stk_load_u64(frame) != length)
        return stk_fail(err, STK_E_DATALOSS, "read", file->file->path,
                        "corrupted record %" PRIu64 " at offset %" PRIu64 ": it has %" PRIu64
                        " bytes, its index says %zu: the file was changed after it was opened",
                        number, stk_record_index_offset(file->index, number), stk_load_u64(frame),
                        length);
    const uint32_t stored = stk_load_u32(data + length);
    const uint32_t computed = stk_tfrecord_checksum(data, length);
    if (stored == computed) return STK_OK;
    return fail_checksum(file, number, "data", stored, computed, err);
}

/* That number is a record which may be read. */
static stk_status check_number(const stk_record_file *file, uint64_t number, stk_error *err)
{
    const uint64_t count = stk_record_index_count(file->index);
    if (number >= count)
        return stk_fail(err, STK_E_RANGE, "read", file->file->path,
                        "there is no record %" PRIu64 ": the file has %" PRIu64, number, count);
    const uint64_t length = stk_record_index_length(file->index, number);
    if (length <= file->max_record_bytes) return STK_OK;
    return stk_fail(err, STK_E_LIMIT, "read", file->file->path,
                    "record %" PRIu64 " has %" PRIu64 " bytes, the limit is %" PRIu64
                    ": raise max_record_bytes to read it",
                    number, length, file->max_record_bytes);
}

stk_status stk_record_file_read(stk_record_file *file, uint64_t number, stk_blob *scratch,
                                stk_record *record, stk_error *err)
{
    *record = (stk_record){.index = number};
    STK_TRY(check_number(file, number, err));
    /* The lengths add up to the file's size, so that none is larger than the file. */
    const size_t length = (size_t)stk_record_index_length(file->index, number);
    const size_t frame = length + STK_TFRECORD_FRAME;
    size_t       got;
    record->offset = stk_record_index_offset(file->index, number);
    scratch->size = 0;
    STK_TRY(stk_blob_reserve(scratch, frame, err));
    STK_TRY(stk_file_read_at(file->file, scratch->data, frame, record->offset, &got, err));
    if (got < frame)
        return stk_fail(err, STK_E_DATALOSS, "read", file->file->path,
                        "truncated record %" PRIu64 " at offset %" PRIu64
                        ": it has %zu bytes in all, the file has %zu left",
                        number, record->offset, frame, got);
    STK_TRY(check_frame(file, number, scratch->data, length, err));
    scratch->size = frame;
    record->bytes = stk_bytes_of(scratch->data + STK_TFRECORD_HEADER, length);
    return STK_OK;
}
