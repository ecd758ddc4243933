/* Reads TFRecords: a window of the stream is buffered and records borrow from it. The reader moves
 * past a record only once it is valid, so that a repeated call after an error gives the same
 * answer. */
#include "storage/record/tfrecord_reader.h"

#include "base/ledger_pressure.h"
#include "storage/record/content_name.h"
#include "storage/record/tfrecord_format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    /* While passing over records: from this length on it is cheaper to read the next header alone
     * than the data before it. A read call costs as much as copying some 8 KiB. */
    SEEK_LENGTH = 8 << 10,
    SEEK_READ = 4 << 10, /* read after such a jump: the header, and a small record with it */
    SMALL_BUFFER = 16 << 10,
    LONG_RECORD = 32 << 10, /* from here on a second copy costs more than a call to read */
};

/* If memory is scarce, many open files must not fill it with large buffers. */
static size_t default_buffer_bytes(const stk_tfrecord_options *options)
{
    return stk_ledger_is_pressed(options->ledger) ? SMALL_BUFFER : STK_TFRECORD_BUFFER;
}

stk_status stk_tfrecord_reader_open(stk_tfrecord_reader **out, const stk_filesystem *fs,
                                    const char *path, const stk_tfrecord_options *options,
                                    stk_error *err)
{
    *out = NULL;
    const stk_tfrecord_options defaults = {0};
    if (!options) options = &defaults;
    stk_tfrecord_reader *reader = calloc(1, sizeof *reader);
    if (!reader) return stk_fail(err, STK_E_NOMEM, "read", path, "no memory for a reader");
    reader->buffer_bytes =
        options->buffer_bytes ? options->buffer_bytes : default_buffer_bytes(options);
    if (reader->buffer_bytes < STK_TFRECORD_HEADER) reader->buffer_bytes = STK_TFRECORD_HEADER;
    reader->passing_read = reader->buffer_bytes;
    reader->max_record_bytes =
        options->max_record_bytes ? options->max_record_bytes : STK_TFRECORD_LIMIT;
    stk_blob_init(&reader->buffer, options->ledger, STK_MEMORY_READ);
    const stk_status st = stk_tfrecord_input_open(&reader->input, fs, path, options, err);
    if (st) {
        stk_tfrecord_reader_free(reader);
        return st;
    }
    *out = reader;
    return STK_OK;
}

void stk_tfrecord_reader_free(stk_tfrecord_reader *reader)
{
    if (!reader) return;
    stk_tfrecord_input_release(&reader->input);
    stk_blob_release(&reader->buffer);
    free(reader);
}

stk_compression stk_tfrecord_reader_compression(const stk_tfrecord_reader *reader)
{
    return reader->input.compression;
}

static size_t available(const stk_tfrecord_reader *reader)
{
    return reader->end - reader->begin;
}

/* Bytes from the next header to the end of the stream; UINT64_MAX when that is not known. */
static uint64_t left(const stk_tfrecord_reader *reader)
{
    const uint64_t to_come = stk_tfrecord_input_left(&reader->input);
    return to_come == UINT64_MAX ? UINT64_MAX : to_come + available(reader);
}

void stk_tfrecord_reader_advance(stk_tfrecord_reader *reader, size_t bytes)
{
    reader->begin += bytes;
    reader->offset += bytes;
}

/* How large the window may become now. A plain file says how much is left; of a compressed one a
 * length may claim anything, so that the window at most doubles before the data has come. */
static size_t next_window(const stk_tfrecord_reader *reader, size_t target)
{
    const uint64_t known = left(reader);
    if (known != UINT64_MAX) return target < known ? target : (size_t)known;
    size_t step = 2 * reader->end;
    if (step < reader->buffer_bytes) step = reader->buffer_bytes;
    return target < step ? target : step;
}

/* When there is no memory, the error names the record that needs it: it may be too long. */
static stk_status reserve(stk_tfrecord_reader *reader, size_t bytes, stk_error *err)
{
    const stk_status st = stk_blob_reserve_exact(&reader->buffer, bytes, err);
    if (!st || !err) return st;
    return stk_fail(err, st, "memory", reader->input.file->path,
                    "no memory to read record %" PRIu64 " at offset %" PRIu64 ": %s", reader->index,
                    reader->offset, err->message);
}

stk_status stk_tfrecord_reader_fill(stk_tfrecord_reader *reader, size_t need, size_t target,
                                    stk_error *err)
{
    if (target < need) target = need;
    if (reader->begin) {
        memmove(reader->buffer.data, reader->buffer.data + reader->begin, available(reader));
        reader->end -= reader->begin;
        reader->begin = 0;
    }
    while (reader->end < need) {
        size_t       got;
        const size_t window = next_window(reader, target);
        if (window <= reader->end) return STK_OK;
        STK_TRY(reserve(reader, window, err));
        STK_TRY(stk_tfrecord_input_read(&reader->input, reader->buffer.data + reader->end,
                                        window - reader->end, &got, err));
        if (!got) return STK_OK;
        reader->end += got;
    }
    return STK_OK;
}

/* Damage is reported with file, record and offset; a file of another kind is named. */
static stk_status fail_damaged(stk_tfrecord_reader *reader, stk_error *err, const char *how,
                               bool suspect_format, const char *detail)
{
    char hint[96] = "";
    if (suspect_format && reader->offset == 0) {
        const uint8_t *first = reader->buffer.data + reader->begin;
        const char    *like = stk_content_name(stk_bytes_of(first, available(reader)));
        snprintf(hint, sizeof hint, "; is this a TFRecord file?%s%s",
                 *like ? " It looks like " : "", like);
    }
    reader->damaged = true;
    return stk_fail(err, STK_E_DATALOSS, "read", reader->input.file->path,
                    "%s record %" PRIu64 " at offset %" PRIu64 ": %s%s", how, reader->index,
                    reader->offset, detail, hint);
}

static stk_status fail_short_header(stk_tfrecord_reader *reader, stk_error *err)
{
    char detail[96];
    snprintf(detail, sizeof detail, "its header has %d bytes, the file has %zu left",
             STK_TFRECORD_HEADER, available(reader));
    return fail_damaged(reader, err, "truncated", true, detail);
}

static stk_status fail_header(stk_tfrecord_reader *reader, stk_error *err)
{
    const uint8_t *header = reader->buffer.data + reader->begin;
    char           detail[96];
    snprintf(detail, sizeof detail, "length checksum is %08" PRIx32 ", expected %08" PRIx32,
             stk_load_u32(header + STK_TFRECORD_LENGTH),
             stk_tfrecord_checksum(header, STK_TFRECORD_LENGTH));
    return fail_damaged(reader, err, "corrupted", true, detail);
}

static stk_status fail_data(stk_tfrecord_reader *reader, uint32_t stored, uint32_t computed,
                            stk_error *err)
{
    char detail[96];
    snprintf(detail, sizeof detail, "data checksum is %08" PRIx32 ", expected %08" PRIx32, stored,
             computed);
    return fail_damaged(reader, err, "corrupted", false, detail);
}

static stk_status fail_truncated(stk_tfrecord_reader *reader, uint64_t length, uint64_t there,
                                 stk_error *err)
{
    char detail[128];
    snprintf(detail, sizeof detail, "it claims %" PRIu64 " bytes, the file has %" PRIu64 " left",
             length, there);
    return fail_damaged(reader, err, "truncated", false, detail);
}

/* The file was cut while it was read. */
static stk_status fail_shrunk(stk_tfrecord_reader *reader, stk_error *err)
{
    char detail[128];
    snprintf(detail, sizeof detail,
             "the file ends here, %" PRIu64 " bytes before its end when it was opened",
             left(reader));
    return fail_damaged(reader, err, "truncated", false, detail);
}

static uint64_t after_header(uint64_t bytes)
{
    return bytes < STK_TFRECORD_HEADER ? 0 : bytes - STK_TFRECORD_HEADER;
}

/* Whether a record of length, header and footer can be in what is left. */
static bool fits(uint64_t length, uint64_t bytes)
{
    return bytes >= STK_TFRECORD_FRAME && length <= bytes - STK_TFRECORD_FRAME;
}

/* Compression that broke is damage of the record it should have given. */
static stk_status fill_or_name(stk_tfrecord_reader *reader, size_t need, size_t target,
                               stk_error *err)
{
    const stk_status st = stk_tfrecord_reader_fill(reader, need, target, err);
    if (st != STK_E_DATALOSS) return st;
    return fail_damaged(reader, err, reader->input.cut_off ? "truncated" : "corrupted", false,
                        reader->input.damage.message);
}

/* Makes the complete record at begin available. Allocates nothing for a length that exceeds the
 * file. */
static stk_status want_record(stk_tfrecord_reader *reader, uint64_t length, stk_error *err)
{
    const uint64_t there = left(reader);
    if (there != UINT64_MAX && !fits(length, there))
        return fail_truncated(reader, length, after_header(there), err);
    if (length > reader->max_record_bytes || length > SIZE_MAX / 4)
        return stk_fail(err, STK_E_LIMIT, "read", reader->input.file->path,
                        "record %" PRIu64 " at offset %" PRIu64 " has %" PRIu64
                        " bytes, the limit is %" PRIu64 ": raise max_record_bytes to read it",
                        reader->index, reader->offset, length, reader->max_record_bytes);
    const size_t need = (size_t)length + STK_TFRECORD_FRAME;
    /* A record larger than the buffer brings the next header along, so that each large record is
     * one read call and nothing is moved. */
    size_t target = need + STK_TFRECORD_HEADER;
    if (target < reader->buffer_bytes) target = reader->buffer_bytes;
    STK_TRY(fill_or_name(reader, need, target, err));
    if (available(reader) < need)
        return fail_truncated(reader, length, after_header(available(reader)), err);
    return STK_OK;
}

/* Makes the header at begin available and checks it. *length is UINT64_MAX at the end. */
static stk_status want_header(stk_tfrecord_reader *reader, size_t target, uint64_t *length,
                              stk_error *err)
{
    *length = UINT64_MAX;
    if (available(reader) < STK_TFRECORD_HEADER) {
        STK_TRY(fill_or_name(reader, STK_TFRECORD_HEADER, target, err));
        if (!available(reader))
            return stk_tfrecord_input_ended(&reader->input) ? STK_OK : fail_shrunk(reader, err);
        if (available(reader) < STK_TFRECORD_HEADER) return fail_short_header(reader, err);
    }
    const uint8_t *header = reader->buffer.data + reader->begin;
    if (!stk_tfrecord_header_is_valid(header)) return fail_header(reader, err);
    *length = stk_load_u64(header);
    return STK_OK;
}

/* Whether the next record, of length, is to be read into memory of its own: it is long, not all
 * here yet, and its file is sure to hold it. */
static bool is_to_own(const stk_tfrecord_reader *reader, uint64_t length)
{
    const uint64_t there = left(reader);
    return length >= LONG_RECORD && there != UINT64_MAX && length <= reader->max_record_bytes &&
           fits(length, there) && !fits(length, available(reader));
}

/* Copies the buffered part of the record into buffer and reads the rest with the next header, which
 * is then all that the window holds. *got is below need if the file was truncated meanwhile. */
static stk_status read_into(stk_tfrecord_reader *reader, uint8_t *data, size_t need, size_t max,
                            size_t *got, stk_error *err)
{
    stk_tfrecord_input *input = &reader->input;
    *got = available(reader) - STK_TFRECORD_HEADER;
    memcpy(data, reader->buffer.data + reader->begin + STK_TFRECORD_HEADER, *got);
    while (*got < need) {
        size_t more;
        STK_TRY(stk_tfrecord_input_read(input, data + *got, max - *got, &more, err));
        if (!more) break;
        *got += more;
    }
    return STK_OK;
}

/* After a failure the reader returns the same record again. Without memory the record is borrowed:
 * a caller that cannot keep it loses only that record. */
static stk_status own(stk_tfrecord_reader *reader, stk_ledger *ledger, size_t size,
                      stk_record *record, stk_buffer **owner, stk_error *err)
{
    const size_t   need = size + STK_TFRECORD_FRAME - STK_TFRECORD_HEADER;
    const size_t   max = need + STK_TFRECORD_HEADER;
    const uint64_t position = reader->input.position;
    size_t         got;
    stk_buffer    *buffer;
    stk_error      unasked;
    if (stk_buffer_new(&buffer, ledger, STK_MEMORY_RECORD, max, &unasked))
        return stk_tfrecord_reader_next(reader, record, err);
    uint8_t   *data = stk_buffer_data(buffer);
    stk_status st = read_into(reader, data, need, max, &got, err);
    if (!st && (got < need || stk_load_u32(data + size) != stk_tfrecord_checksum(data, size))) {
        stk_tfrecord_input_seek(&reader->input, position);
        stk_buffer_unref(buffer);
        return stk_tfrecord_reader_next(reader, record, err); /* says what is wrong */
    }
    if (st) {
        stk_tfrecord_input_seek(&reader->input, position);
        stk_buffer_unref(buffer);
        return st;
    }
    reader->begin = 0;
    reader->end = got - need;
    memcpy(reader->buffer.data, data + need, reader->end);
    reader->offset += size + STK_TFRECORD_FRAME;
    reader->index++;
    record->bytes = stk_bytes_of(data, size);
    *owner = buffer;
    return STK_OK;
}

stk_status stk_tfrecord_reader_take(stk_tfrecord_reader *reader, stk_ledger *ledger,
                                    stk_record *record, stk_buffer **owner, stk_error *err)
{
    uint64_t length;
    *owner = NULL;
    *record = (stk_record){.offset = reader->offset, .index = reader->index};
    STK_TRY(want_header(reader, reader->buffer_bytes, &length, err));
    if (available(reader) && is_to_own(reader, length))
        return own(reader, ledger, (size_t)length, record, owner, err);
    return stk_tfrecord_reader_next(reader, record, err);
}

stk_status stk_tfrecord_reader_next(stk_tfrecord_reader *reader, stk_record *record, stk_error *err)
{
    uint64_t length;
    *record = (stk_record){.offset = reader->offset, .index = reader->index};
    STK_TRY(want_header(reader, reader->buffer_bytes, &length, err));
    if (!available(reader)) return STK_OK;
    if (length > reader->max_record_bytes || !fits(length, available(reader)))
        STK_TRY(want_record(reader, length, err));
    const size_t   size = (size_t)length;
    const uint8_t *data = reader->buffer.data + reader->begin + STK_TFRECORD_HEADER;
    const uint32_t stored = stk_load_u32(data + size);
    const uint32_t computed = stk_tfrecord_checksum(data, size);
    if (stored != computed) return fail_data(reader, stored, computed, err);
    record->bytes = stk_bytes_of(data, size);
    stk_tfrecord_reader_advance(reader, size + STK_TFRECORD_FRAME);
    reader->index++;
    return STK_OK;
}

stk_status stk_tfrecord_reader_pass(stk_tfrecord_reader *reader, bool *passed, uint64_t *length,
                                    stk_error *err)
{
    const bool plain = reader->input.compression == STK_COMPRESSION_NONE;
    *passed = false;
    STK_TRY(want_header(reader, reader->passing_read, length, err));
    if (!available(reader)) return STK_OK;
    if (fits(*length, available(reader))) {
        stk_tfrecord_reader_advance(reader, (size_t)*length + STK_TFRECORD_FRAME);
    } else if (!plain) {
        STK_TRY(want_record(reader, *length, err));
        stk_tfrecord_reader_advance(reader, (size_t)*length + STK_TFRECORD_FRAME);
    } else {
        if (!fits(*length, left(reader)))
            return fail_truncated(reader, *length, after_header(left(reader)), err);
        reader->offset += *length + STK_TFRECORD_FRAME;
        reader->begin = reader->end = 0;
        stk_tfrecord_input_seek(&reader->input, reader->offset);
    }
    reader->damaged = false;
    reader->passing_read = plain && *length >= SEEK_LENGTH ? SEEK_READ : reader->buffer_bytes;
    reader->index++;
    *passed = true;
    return STK_OK;
}

stk_status stk_tfrecord_reader_skip(stk_tfrecord_reader *reader, uint64_t count, uint64_t *skipped,
                                    stk_error *err)
{
    for (*skipped = 0; *skipped < count; ++*skipped) {
        bool     passed;
        uint64_t length;
        STK_TRY(stk_tfrecord_reader_pass(reader, &passed, &length, err));
        if (!passed) break;
    }
    return STK_OK;
}

stk_status stk_tfrecord_peek(const stk_filesystem *fs, const char *path, stk_ledger *ledger,
                             uint64_t *length, stk_error *err)
{
    const stk_tfrecord_options options = {.buffer_bytes = STK_TFRECORD_HEADER, .ledger = ledger};
    stk_tfrecord_reader       *reader;
    *length = UINT64_MAX;
    STK_TRY(stk_tfrecord_reader_open(&reader, fs, path, &options, err));
    const stk_status st = want_header(reader, STK_TFRECORD_HEADER, length, err);
    stk_tfrecord_reader_free(reader);
    return st;
}

stk_status stk_tfrecord_reader_seek(stk_tfrecord_reader *reader, uint64_t offset, uint64_t index,
                                    stk_error *err)
{
    const char *path = reader->input.file->path;
    if (reader->input.compression != STK_COMPRESSION_NONE)
        return stk_fail(err, STK_E_UNSUPPORTED, "read", path,
                        "the file is compressed as a whole, which allows no seeking: unpack it");
    if (offset > reader->input.file->info.bytes)
        return stk_fail(err, STK_E_RANGE, "read", path,
                        "offset %" PRIu64 " is past the end at %" PRIu64, offset,
                        reader->input.file->info.bytes);
    const uint64_t window = reader->offset - reader->begin; /* stream offset of buffer.data[0] */
    if (offset >= window && offset - window < reader->end) {
        reader->begin = (size_t)(offset - window);
    } else {
        reader->begin = reader->end = 0;
        stk_tfrecord_input_seek(&reader->input, offset);
    }
    reader->offset = offset;
    reader->index = index;
    reader->damaged = false;
    reader->checked = 0;
    return STK_OK;
}
