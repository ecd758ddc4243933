/* Writing TFRecords: records are framed in one buffer; a full buffer, or a record too large for
 * it, goes on to the file, through the compressor where there is one. */
#include "storage/record/compression.h"
#include "storage/record/tfrecord_format.h"

#include <inttypes.h>
#include <stdlib.h>

struct stk_tfrecord_writer {
    stk_output     *output;
    stk_compressor *compressor; /* NULL for a plain file */
    stk_blob        frames;     /* framed, not yet given to the file */
    stk_blob        packed;     /* compressed, not yet given to the file */
    size_t          buffer_bytes;
    uint64_t        max_record_bytes;
    uint64_t        count;   /* records written, for messages */
    stk_error       failure; /* status is not STK_OK after a failed write: the file has a gap */
};

static stk_status start(stk_tfrecord_writer *writer, const stk_filesystem *fs, const char *path,
                        const stk_tfrecord_options *options, stk_error *err)
{
    const stk_compression compression = options->compression;
    STK_TRY(stk_blob_reserve_exact(&writer->frames, writer->buffer_bytes, err));
    STK_TRY(stk_output_create(&writer->output, fs, path, err));
    if (compression == STK_COMPRESSION_AUTO || compression == STK_COMPRESSION_NONE) return STK_OK;
    STK_TRY(stk_blob_reserve_exact(&writer->packed, writer->buffer_bytes, err));
    return stk_compressor_new(&writer->compressor, compression, options->level, options->ledger,
                              writer->output->path, err);
}

stk_status stk_tfrecord_writer_open(stk_tfrecord_writer **out, const stk_filesystem *fs,
                                    const char *path, const stk_tfrecord_options *options,
                                    stk_error *err)
{
    *out = NULL;
    const stk_tfrecord_options defaults = {0};
    if (!options) options = &defaults;
    stk_tfrecord_writer *writer = calloc(1, sizeof *writer);
    if (!writer) return stk_fail(err, STK_E_NOMEM, "write", path, "no memory for a writer");
    writer->buffer_bytes = options->buffer_bytes ? options->buffer_bytes : STK_TFRECORD_BUFFER;
    if (writer->buffer_bytes < STK_TFRECORD_FRAME) writer->buffer_bytes = STK_TFRECORD_FRAME;
    writer->max_record_bytes =
        options->max_record_bytes ? options->max_record_bytes : STK_TFRECORD_LIMIT;
    stk_blob_init(&writer->frames, options->ledger, STK_MEMORY_OUTPUT);
    stk_blob_init(&writer->packed, options->ledger, STK_MEMORY_OUTPUT);
    const stk_status st = start(writer, fs, path, options, err);
    if (st) {
        stk_tfrecord_writer_free(writer);
        return st;
    }
    *out = writer;
    return STK_OK;
}

void stk_tfrecord_writer_free(stk_tfrecord_writer *writer)
{
    if (!writer) return;
    stk_output_close(writer->output);
    stk_compressor_free(writer->compressor);
    stk_blob_release(&writer->packed);
    stk_blob_release(&writer->frames);
    free(writer);
}

static stk_status flush_packed(stk_tfrecord_writer *writer, stk_error *err)
{
    STK_TRY(stk_output_write(writer->output, writer->packed.data, writer->packed.size, err));
    writer->packed.size = 0;
    return STK_OK;
}

/* Compresses bytes; at the end also what the compressor still holds. */
static stk_status pack(stk_tfrecord_writer *writer, stk_bytes bytes, bool end, stk_error *err)
{
    stk_blob *packed = &writer->packed;
    bool      done = false;
    while (end ? !done : bytes.size > 0) {
        size_t got;
        STK_TRY(stk_compressor_run(writer->compressor, &bytes, packed->data + packed->size,
                                   packed->capacity - packed->size, &got, end, &done, err));
        packed->size += got;
        if (packed->size == packed->capacity) STK_TRY(flush_packed(writer, err));
    }
    return STK_OK;
}

static stk_status put(stk_tfrecord_writer *writer, stk_bytes bytes, stk_error *err)
{
    if (writer->compressor) return pack(writer, bytes, false, err);
    return stk_output_write(writer->output, bytes.data, bytes.size, err);
}

static stk_status flush(stk_tfrecord_writer *writer, stk_error *err)
{
    if (!writer->frames.size) return STK_OK;
    STK_TRY(put(writer, stk_blob_bytes(&writer->frames), err));
    writer->frames.size = 0;
    return STK_OK;
}

/* Keeps the first failure: part of a record may be in the file, so that it must never be
 * committed. */
static stk_status note(stk_tfrecord_writer *writer, stk_status st, stk_error *err)
{
    if (st && !writer->failure.status) {
        if (err) writer->failure = *err;
        writer->failure.status = st;
    }
    return st;
}

static stk_status check_usable(const stk_tfrecord_writer *writer, stk_error *err)
{
    if (!writer->failure.status) return STK_OK;
    if (err) *err = writer->failure;
    return writer->failure.status;
}

static stk_status put_large(stk_tfrecord_writer *writer, stk_bytes record, stk_error *err)
{
    uint8_t header[STK_TFRECORD_HEADER], footer[STK_TFRECORD_FOOTER];
    stk_tfrecord_store_header(header, record.size);
    stk_store_u32(footer, stk_tfrecord_checksum(record.data, record.size));
    STK_TRY(put(writer, stk_bytes_of(header, sizeof header), err));
    STK_TRY(put(writer, record, err));
    return put(writer, stk_bytes_of(footer, sizeof footer), err);
}

static bool fits(const stk_tfrecord_writer *writer, size_t bytes)
{
    return bytes <= writer->buffer_bytes - writer->frames.size;
}

static stk_status write_record(stk_tfrecord_writer *writer, stk_bytes record, stk_error *err)
{
    const size_t framed = record.size + STK_TFRECORD_FRAME;
    if (!fits(writer, framed)) STK_TRY(flush(writer, err));
    if (!fits(writer, framed)) return put_large(writer, record, err);
    return stk_tfrecord_frame(&writer->frames, record, err);
}

stk_status stk_tfrecord_writer_write(stk_tfrecord_writer *writer, stk_bytes record, stk_error *err)
{
    STK_TRY(check_usable(writer, err));
    if (record.size > writer->max_record_bytes)
        return stk_fail(err, STK_E_LIMIT, "write", writer->output->path,
                        "record %" PRIu64 " has %zu bytes, the limit is %" PRIu64
                        ": raise max_record_bytes to write it",
                        writer->count, record.size, writer->max_record_bytes);
    STK_TRY(note(writer, write_record(writer, record, err), err));
    writer->count++;
    return STK_OK;
}

/* Counts the records in frames, by their headers. */
static stk_status check_frames(stk_tfrecord_writer *writer, stk_bytes frames, uint64_t *count,
                               stk_error *err)
{
    size_t at = 0;
    for (*count = 0; at < frames.size; ++*count) {
        const size_t there = frames.size - at;
        uint64_t     length = 0;
        bool         valid = there >= STK_TFRECORD_FRAME;
        if (valid) valid = stk_tfrecord_header_is_valid(frames.data + at);
        if (valid) length = stk_load_u64(frames.data + at);
        if (!valid || length > there - STK_TFRECORD_FRAME)
            return stk_fail(err, STK_E_INVALID, "write", writer->output->path,
                            "the bytes given are not whole framed records: see byte %zu of %zu", at,
                            frames.size);
        at += (size_t)length + STK_TFRECORD_FRAME;
    }
    return STK_OK;
}

static stk_status write_frames(stk_tfrecord_writer *writer, stk_bytes frames, stk_error *err)
{
    if (!fits(writer, frames.size)) STK_TRY(flush(writer, err));
    if (!fits(writer, frames.size)) return put(writer, frames, err);
    return stk_blob_append(&writer->frames, frames.data, frames.size, err);
}

stk_status stk_tfrecord_writer_write_framed(stk_tfrecord_writer *writer, stk_bytes frames,
                                            stk_error *err)
{
    uint64_t count;
    STK_TRY(check_usable(writer, err));
    STK_TRY(check_frames(writer, frames, &count, err));
    STK_TRY(note(writer, write_frames(writer, frames, err), err));
    writer->count += count;
    return STK_OK;
}

static stk_status finish(stk_tfrecord_writer *writer, stk_error *err)
{
    STK_TRY(flush(writer, err));
    if (writer->compressor) {
        STK_TRY(pack(writer, stk_bytes_of("", 0), true, err));
        STK_TRY(flush_packed(writer, err));
    }
    return stk_output_commit(writer->output, err);
}

stk_status stk_tfrecord_writer_commit(stk_tfrecord_writer *writer, stk_error *err)
{
    STK_TRY(check_usable(writer, err));
    STK_TRY(note(writer, finish(writer, err), err));
    (void)stk_fail(&writer->failure, STK_E_INVALID, "write", writer->output->path,
                   "the file is committed already");
    return STK_OK;
}
