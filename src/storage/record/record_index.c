/* The index in memory and as the content of a file.
 *
 * File, little-endian: "stkindex", u32 version, u32 zero, u64 bytes and i64 modification time of
 * the TFRecord file, u64 count of records, each record's length as a varint, u32 CRC-32C of all
 * before. Lengths instead of offsets: two or three bytes a record instead of eight. */
#include "storage/record/record_index_internal.h"

#include "storage/record/tfrecord_format.h"

#include <inttypes.h>
#include <stdlib.h>

static const char magic[8] = {'s', 't', 'k', 'i', 'n', 'd', 'e', 'x'};

enum {
    VERSION = 1,
    AT_VERSION = 8,
    AT_BYTES = 16,
    AT_MODIFIED = 24,
    AT_COUNT = 32,
    AT_LENGTHS = 40,
    CHECKSUM = 4,
    VARINT_BYTES_MAX = 10,
};

struct stk_record_index {
    stk_blob         offsets; /* count + 1 times u64: the last is the file's end */
    uint64_t         count;
    stk_index_origin origin;
};

static uint64_t *offsets_of(const stk_record_index *index)
{
    return (uint64_t *)(void *)index->offsets.data;
}

void stk_record_index_free(stk_record_index *index)
{
    if (!index) return;
    stk_blob_release(&index->offsets);
    free(index);
}

uint64_t stk_record_index_count(const stk_record_index *index)
{
    return index->count;
}

stk_index_origin stk_record_index_origin(const stk_record_index *index)
{
    return index->origin;
}

void stk_record_index_set_origin(stk_record_index *index, stk_index_origin origin)
{
    index->origin = origin;
}

uint64_t stk_record_index_offset(const stk_record_index *index, uint64_t number)
{
    return offsets_of(index)[number];
}

uint64_t stk_record_index_length(const stk_record_index *index, uint64_t number)
{
    const uint64_t *offsets = offsets_of(index);
    return offsets[number + 1] - offsets[number] - STK_TFRECORD_FRAME;
}

uint64_t stk_record_index_file_bytes(const stk_record_index *index)
{
    return offsets_of(index)[index->count];
}

static stk_status append_offset(stk_record_index *index, uint64_t offset, stk_error *err)
{
    return stk_blob_append(&index->offsets, &offset, sizeof offset, err);
}

stk_status stk_record_index_new(stk_record_index **out, const char *path, stk_ledger *ledger,
                                stk_error *err)
{
    *out = NULL;
    stk_record_index *index = calloc(1, sizeof *index);
    if (!index) return stk_fail(err, STK_E_NOMEM, "index", path, "no memory for an index");
    stk_blob_init(&index->offsets, ledger, STK_MEMORY_INDEX);
    const stk_status st = append_offset(index, 0, err);
    if (st) {
        stk_record_index_free(index);
        return st;
    }
    *out = index;
    return STK_OK;
}

stk_status stk_record_index_add(stk_record_index *index, uint64_t length, stk_error *err)
{
    STK_TRY(append_offset(index, stk_record_index_file_bytes(index) + length + STK_TFRECORD_FRAME,
                          err));
    index->count++;
    return STK_OK;
}

static size_t store_varint(uint8_t *dst, uint64_t value)
{
    size_t size = 0;
    while (value >= 0x80) {
        dst[size++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    dst[size++] = (uint8_t)value;
    return size;
}

/* Reads a varint from *src, which moves past it. False when it is cut off or too long. */
static bool load_varint(stk_bytes *src, uint64_t *value)
{
    *value = 0;
    for (unsigned i = 0; i < VARINT_BYTES_MAX && i < src->size; i++) {
        const uint64_t part = src->data[i] & 0x7f;
        if (i == VARINT_BYTES_MAX - 1 && part > 1) return false;
        *value |= part << (7 * i);
        if (src->data[i] & 0x80) continue;
        src->data += i + 1;
        src->size -= i + 1;
        return true;
    }
    return false;
}

stk_status stk_record_index_encode(const stk_record_index *index, const stk_file_info *file,
                                   stk_blob *content, stk_error *err)
{
    uint8_t header[AT_LENGTHS] = {0}, part[VARINT_BYTES_MAX];
    memcpy(header, magic, sizeof magic);
    stk_store_u32(header + AT_VERSION, VERSION);
    stk_store_u64(header + AT_BYTES, file->bytes);
    stk_store_u64(header + AT_MODIFIED, (uint64_t)file->modified_ns);
    stk_store_u64(header + AT_COUNT, index->count);
    STK_TRY(stk_blob_append(content, header, sizeof header, err));
    for (uint64_t i = 0; i < index->count; i++) {
        const size_t size = store_varint(part, stk_record_index_length(index, i));
        STK_TRY(stk_blob_append(content, part, size, err));
    }
    stk_store_u32(part, stk_crc32c(0, content->data, content->size));
    return stk_blob_append(content, part, CHECKSUM, err);
}

static stk_status fail_damaged(const char *path, const char *what, stk_error *err)
{
    return stk_fail(err, STK_E_DATALOSS, "index", path, "the kept index is damaged: %s", what);
}

/* That the content is an index, unchanged since it was written, of the file described. */
static stk_status check(stk_bytes content, const stk_file_info *file, const char *path,
                        stk_error *err)
{
    if (content.size < AT_LENGTHS + CHECKSUM) return fail_damaged(path, "it is too short", err);
    if (memcmp(content.data, magic, sizeof magic) != 0)
        return fail_damaged(path, "it is no index", err);
    const size_t checked = content.size - CHECKSUM;
    if (stk_load_u32(content.data + checked) != stk_crc32c(0, content.data, checked))
        return fail_damaged(path, "its checksum is wrong", err);
    const uint32_t version = stk_load_u32(content.data + AT_VERSION);
    if (version != VERSION)
        return stk_fail(err, STK_E_NOTFOUND, "index", path,
                        "the kept index is of version %" PRIu32 ", this program's is %d", version,
                        VERSION);
    if (stk_load_u64(content.data + AT_BYTES) != file->bytes ||
        (int64_t)stk_load_u64(content.data + AT_MODIFIED) != file->modified_ns)
        return stk_fail(err, STK_E_NOTFOUND, "index", path,
                        "the kept index is stale: the file was changed after it was made");
    return STK_OK;
}

/* Adds every length; together they must make up the file exactly. */
static stk_status load_lengths(stk_record_index *index, stk_bytes lengths, uint64_t count,
                               uint64_t file_bytes, const char *path, stk_error *err)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t       length;
        const uint64_t left = file_bytes - stk_record_index_file_bytes(index);
        if (!load_varint(&lengths, &length)) return fail_damaged(path, "a length is cut off", err);
        if (left < STK_TFRECORD_FRAME || length > left - STK_TFRECORD_FRAME)
            return fail_damaged(path, "a record lies past the end of the file", err);
        STK_TRY(stk_record_index_add(index, length, err));
    }
    if (lengths.size) return fail_damaged(path, "bytes follow the last length", err);
    if (stk_record_index_file_bytes(index) != file_bytes)
        return fail_damaged(path, "the records do not fill the file", err);
    return STK_OK;
}

stk_status stk_record_index_decode(stk_record_index **out, stk_bytes content,
                                   const stk_file_info *file, const char *path, stk_ledger *ledger,
                                   stk_error *err)
{
    *out = NULL;
    STK_TRY(check(content, file, path, err));
    const stk_bytes lengths =
        stk_bytes_of(content.data + AT_LENGTHS, content.size - AT_LENGTHS - CHECKSUM);
    const uint64_t count = stk_load_u64(content.data + AT_COUNT);
    if (count > lengths.size) return fail_damaged(path, "it claims more records than it has", err);
    stk_record_index *index;
    STK_TRY(stk_record_index_new(&index, path, ledger, err));
    stk_status st =
        stk_blob_reserve_exact(&index->offsets, ((size_t)count + 1) * sizeof(uint64_t), err);
    if (!st) st = load_lengths(index, lengths, count, file->bytes, path, err);
    if (st) {
        stk_record_index_free(index);
        return st;
    }
    index->origin = STK_INDEX_LOADED;
    *out = index;
    return STK_OK;
}
