/* One IDX file. */
#include "storage/source/idx.h"

#include "base/checked.h"
#include "storage/source/gunzip.h"

#include <inttypes.h>
#include <string.h>

enum { U8 = 0x08, I8 = 0x09, I16 = 0x0b, I32 = 0x0c, F32 = 0x0d, F64 = 0x0e };
enum { HEADER_BYTES_MAX = 4 + 4 * (STK_MAX_RANK + 1) };

typedef struct number_type {
    uint8_t   code;
    uint8_t   bytes;
    stk_dtype dtype;
    uint8_t   width; /* of dtype */
} number_type;

static const number_type types[] = {
    {U8, 1, STK_DTYPE_U8, 1},   {I8, 1, STK_DTYPE_I32, 4},  {I16, 2, STK_DTYPE_I32, 4},
    {I32, 4, STK_DTYPE_I32, 4}, {F32, 4, STK_DTYPE_F32, 4}, {F64, 8, STK_DTYPE_F64, 8},
};

static const number_type *find_type(uint8_t code)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (types[i].code == code) return &types[i];
    return NULL;
}

static uint32_t big32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

bool stk_idx_is(stk_bytes head)
{
    return head.size >= 8 && !head.data[0] && !head.data[1] && find_type(head.data[2]) &&
           head.data[3] >= 1;
}

/* Fills in everything that the header says. */
static stk_status parse_header(stk_idx *idx, stk_bytes head, const char *path, stk_error *err)
{
    if (head.size < 4 || head.data[0] || head.data[1])
        return stk_fail(err, STK_E_FORMAT, "idx", path,
                        "is no IDX file: it does not begin with two zero bytes, type and rank");
    const number_type *type = find_type(head.data[2]);
    const int          rank = head.data[3];
    if (!type)
        return stk_fail(err, STK_E_UNSUPPORTED, "idx", path, "type 0x%02x is unknown",
                        head.data[2]);
    if (rank < 1 || rank > STK_MAX_RANK + 1)
        return stk_fail(err, STK_E_UNSUPPORTED, "idx", path, "has %d dimensions, not 1 to %d", rank,
                        STK_MAX_RANK + 1);
    idx->offset = 4 + 4 * (uint64_t)rank;
    if (head.size < idx->offset)
        return stk_fail(err, STK_E_DATALOSS, "idx", path,
                        "truncated header: %zu bytes, %d dimensions need %" PRIu64, head.size, rank,
                        idx->offset);
    idx->stored = type->code;
    idx->dtype = type->dtype;
    idx->count = big32(head.data + 4);
    idx->values = 1;
    idx->shape.rank = rank - 1;
    for (int i = 1; i < rank; i++) {
        const uint32_t dim = big32(head.data + 4 + 4 * i);
        idx->shape.dim[i - 1] = dim;
        if (!dim || idx->values > INT64_MAX / 8 / dim)
            return stk_fail(err, STK_E_SHAPE, "idx", path, "dimension %d of %d is %" PRIu32, i,
                            rank, dim);
        idx->values *= dim;
    }
    idx->stored_bytes = idx->values * type->bytes;
    return STK_OK;
}

/* The file's size must match the header exactly. */
static stk_status check_size(const stk_idx *idx, uint64_t actual, bool more, const char *path,
                             stk_error *err)
{
    uint64_t claimed;
    if (__builtin_mul_overflow(idx->count, idx->stored_bytes, &claimed) ||
        __builtin_add_overflow(claimed, idx->offset, &claimed))
        claimed = UINT64_MAX;
    if (claimed == actual && !more) return STK_OK;
    return stk_fail(err, STK_E_DATALOSS, "idx", path,
                    "the header's %" PRIu64 " items of %" PRIu64 " bytes need %" PRIu64
                    " bytes, but there are %s%" PRIu64,
                    idx->count, idx->stored_bytes, claimed, more ? "more than " : "", actual);
}

static stk_status open_plain(stk_idx *idx, const char *path, stk_bytes head, stk_error *err)
{
    STK_TRY(parse_header(idx, head, path, err));
    return check_size(idx, idx->file->info.bytes, false, path, err);
}

/* The header is inflated first, so that the rest is bounded by what it claims. */
static stk_status open_gzip(stk_idx *idx, const stk_filesystem *fs, const char *path,
                            stk_error *err)
{
    uint64_t claimed;
    bool     more;
    stk_file_close(idx->file);
    idx->file = NULL;
    STK_TRY(stk_gunzip_file(fs, path, HEADER_BYTES_MAX, &idx->content, &more, err));
    STK_TRY(parse_header(idx, stk_blob_bytes(&idx->content), path, err));
    if (__builtin_mul_overflow(idx->count, idx->stored_bytes, &claimed) ||
        claimed > INT64_MAX - idx->offset)
        return check_size(idx, idx->content.size, more, path, err);
    STK_TRY(stk_gunzip_file(fs, path, claimed + idx->offset, &idx->content, &more, err));
    return check_size(idx, idx->content.size, more, path, err);
}

stk_status stk_idx_open(stk_idx *idx, const stk_filesystem *fs, const char *path,
                        stk_ledger *ledger, stk_error *err)
{
    uint8_t head[HEADER_BYTES_MAX];
    size_t  got;
    *idx = (stk_idx){0};
    stk_blob_init(&idx->content, ledger, STK_MEMORY_RECORD);
    STK_TRY(stk_file_open(&idx->file, fs, path, STK_ACCESS_RANDOM, err));
    idx->modified_ns = idx->file->info.modified_ns;
    stk_status st = stk_file_read_at(idx->file, head, sizeof head, 0, &got, err);
    if (!st)
        st = stk_is_gzip(stk_bytes_of(head, got))
                 ? open_gzip(idx, fs, path, err)
                 : open_plain(idx, path, stk_bytes_of(head, got), err);
    if (st) stk_idx_close(idx);
    return st;
}

void stk_idx_close(stk_idx *idx)
{
    stk_file_close(idx->file);
    idx->file = NULL;
    stk_blob_release(&idx->content);
}

static uint64_t big(const uint8_t *src, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value = value << 8 | src[i];
    return value;
}

/* From the file's big-endian numbers to the machine's. */
static void convert(const number_type *type, const uint8_t *src, uint8_t *dst, uint64_t count)
{
    const size_t width = type->width;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t bits = big(src + i * type->bytes, type->bytes);
        const uint32_t low = type->code == I8    ? (uint32_t)(int8_t)bits
                             : type->code == I16 ? (uint32_t)(int16_t)bits
                                                 : (uint32_t)bits;
        memcpy(dst + i * width, width == 8 ? (const void *)&bits : (const void *)&low, width);
    }
}

/* The stored bytes of the items: in memory, or read to the end of scratch from at on. */
static stk_status fetch(const stk_idx *idx, uint64_t first, size_t bytes, size_t at,
                        stk_blob *scratch, const uint8_t **out, stk_error *err)
{
    const uint64_t offset = idx->offset + first * idx->stored_bytes;
    size_t         got;
    if (!idx->file) {
        *out = idx->content.data + offset;
        return STK_OK;
    }
    STK_TRY(stk_file_read_at(idx->file, scratch->data + at, bytes, offset, &got, err));
    if (got != bytes)
        return stk_fail(err, STK_E_DATALOSS, "idx", idx->file->path,
                        "changed while being read: %zu of %zu bytes at offset %" PRIu64, got, bytes,
                        offset);
    *out = scratch->data + at;
    return STK_OK;
}

stk_status stk_idx_read(const stk_idx *idx, uint64_t first, uint64_t count, stk_blob *scratch,
                        const void **values, stk_error *err)
{
    const number_type *type = find_type(idx->stored);
    const bool         as_is = type->code == U8;
    const size_t       width = type->width;
    size_t             bytes, converted = 0, capacity;
    const uint8_t     *stored = NULL;
    if (stk_mul_overflows(count, idx->stored_bytes, &bytes) ||
        (!as_is && stk_mul_overflows(count * idx->values, width, &converted)) ||
        stk_add_overflows(bytes, converted, &capacity))
        return stk_fail(err, STK_E_LIMIT, "idx", NULL, "%" PRIu64 " items do not fit in memory",
                        count);
    if (idx->file || !as_is) STK_TRY(stk_blob_reserve(scratch, capacity, err));
    STK_TRY(fetch(idx, first, bytes, converted, scratch, &stored, err));
    if (!as_is) convert(type, stored, scratch->data, count * idx->values);
    *values = as_is ? stored : scratch->data;
    return STK_OK;
}
