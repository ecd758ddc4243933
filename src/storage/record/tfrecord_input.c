/* Plain files are read straight into the caller's memory; compressed ones a piece at a time, then
 * decompressed into it. */
#include "storage/record/tfrecord_input.h"

#include "storage/record/content_name.h"
#include "storage/record/tfrecord_format.h"

#include <inttypes.h>
#include <stdio.h>

enum { PIECE = 64 << 10 }; /* of a compressed file, read at a time */

/* CMF and FLG of RFC 1950: deflate, a window of at most 32 KiB, no dictionary, a multiple of 31. A
 * plain file whose first checksum is damaged can begin like that too (a record of 0x0178 bytes),
 * but then the rest of its length is zero, which no deflate stream begins with. */
static bool is_zlib(stk_bytes first)
{
    static const uint8_t zeros[6] = {0};
    if (first.size < 8) return false;
    const unsigned cmf = first.data[0], flg = first.data[1];
    return (cmf & 15) == 8 && cmf >> 4 <= 7 && !(flg & 32) && (cmf << 8 | flg) % 31 == 0 &&
           memcmp(first.data + 2, zeros, sizeof zeros) != 0;
}

static bool begins_with(stk_bytes bytes, const char *magic, size_t size)
{
    return bytes.size >= size && memcmp(bytes.data, magic, size) == 0;
}

static stk_compression detect(stk_bytes first)
{
    if (first.size >= STK_TFRECORD_HEADER && stk_tfrecord_header_is_valid(first.data))
        return STK_COMPRESSION_NONE;
    if (begins_with(first, "\x1f\x8b\x08", 3)) return STK_COMPRESSION_GZIP;
    if (begins_with(first, "\x28\xb5\x2f\xfd", 4)) return STK_COMPRESSION_ZSTD;
    return is_zlib(first) ? STK_COMPRESSION_ZLIB : STK_COMPRESSION_NONE;
}

stk_status stk_tfrecord_input_open(stk_tfrecord_input *input, const stk_filesystem *fs,
                                   const char *path, const stk_tfrecord_options *options,
                                   stk_error *err)
{
    *input =
        (stk_tfrecord_input){.compression = options->compression, .unread = stk_bytes_of("", 0)};
    stk_blob_init(&input->packed, options->ledger, STK_MEMORY_READ);
    STK_TRY(stk_file_open(&input->file, fs, path, STK_ACCESS_SEQUENTIAL, err));
    if (input->compression == STK_COMPRESSION_AUTO) {
        uint8_t first[STK_TFRECORD_HEADER];
        size_t  got;
        STK_TRY(stk_file_read_at(input->file, first, sizeof first, 0, &got, err));
        input->compression = detect(stk_bytes_of(first, got));
    }
    if (input->compression == STK_COMPRESSION_NONE) return STK_OK;
    const stk_status st = stk_blob_reserve_exact(&input->packed, PIECE, err);
    if (st && err) stk_fail(err, st, "memory", input->file->path, "%s", err->message);
    STK_TRY(st);
    return stk_decompressor_new(&input->decompressor, input->compression, options->ledger,
                                input->file->path, err);
}

void stk_tfrecord_input_release(stk_tfrecord_input *input)
{
    stk_decompressor_free(input->decompressor);
    stk_file_close(input->file);
    stk_blob_release(&input->packed);
    *input = (stk_tfrecord_input){0};
}

static uint64_t file_left(const stk_tfrecord_input *input)
{
    const uint64_t bytes = input->file->info.bytes;
    return input->position < bytes ? bytes - input->position : 0;
}

uint64_t stk_tfrecord_input_left(const stk_tfrecord_input *input)
{
    return input->decompressor ? UINT64_MAX : file_left(input);
}

void stk_tfrecord_input_seek(stk_tfrecord_input *input, uint64_t position)
{
    input->position = position;
}

bool stk_tfrecord_input_ended(const stk_tfrecord_input *input)
{
    return input->decompressor || !file_left(input);
}

void stk_tfrecord_input_abandon(stk_tfrecord_input *input)
{
    if (input->decompressor)
        input->abandoned = true;
    else
        input->position = input->file->info.bytes; /* until a seek */
}

/* The file's own bytes. */
static stk_status read_file(stk_tfrecord_input *input, void *dst, size_t size, size_t *got,
                            stk_error *err)
{
    const uint64_t left = file_left(input);
    if (size > left) size = (size_t)left;
    STK_TRY(stk_file_read_at(input->file, dst, size, input->position, got, err));
    input->position += *got;
    return STK_OK;
}

/* Says what the file looks like when not a byte could be decompressed. */
static void add_hint(stk_tfrecord_input *input)
{
    stk_error *damage = &input->damage;
    if (damage->status != STK_E_DATALOSS || stk_decompressor_produced(input->decompressor)) return;
    const char *like = stk_content_name(stk_blob_bytes(&input->packed));
    if (!strcmp(like, stk_compression_name(input->compression))) return; /* it is, but broken */
    stk_fail(damage, STK_E_DATALOSS, "read", input->file->path, "%s; is this a %s file?%s%s",
             damage->message, stk_compression_name(input->compression),
             *like ? " It looks like " : "", like);
}

static void note_cut_off(stk_tfrecord_input *input)
{
    input->cut_off = true;
    stk_fail(
        &input->damage, STK_E_DATALOSS, "read", input->file->path,
        "the %s data is cut off after %" PRIu64 " compressed and %" PRIu64 " uncompressed bytes",
        stk_compression_name(input->compression), stk_decompressor_consumed(input->decompressor),
        stk_decompressor_produced(input->decompressor));
}

/* Decompresses until there is something, the end, or damage, which is noted. A failed read of the
 * file loses nothing: it can be tried again. */
static stk_status read_packed(stk_tfrecord_input *input, void *dst, size_t size, size_t *got,
                              stk_error *err)
{
    while (!*got && !input->damage.status) {
        if (stk_decompressor_run(input->decompressor, &input->unread, dst, size, got,
                                 &input->damage))
            add_hint(input);
        if (*got || input->damage.status) break;
        size_t count;
        STK_TRY(read_file(input, input->packed.data, PIECE, &count, err));
        input->packed.size = count;
        input->unread = stk_bytes_of(input->packed.data, count);
        if (count) continue;
        if (!stk_decompressor_is_complete(input->decompressor)) note_cut_off(input);
        break;
    }
    return STK_OK;
}

stk_status stk_tfrecord_input_read(stk_tfrecord_input *input, void *dst, size_t size, size_t *got,
                                   stk_error *err)
{
    *got = 0;
    if (input->abandoned) return STK_OK;
    if (!input->decompressor) return read_file(input, dst, size, got, err);
    STK_TRY(read_packed(input, dst, size, got, err));
    if (*got || !input->damage.status) return STK_OK;
    if (err) *err = input->damage;
    return input->damage.status;
}
