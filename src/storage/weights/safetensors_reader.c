/* Reads safetensors files: the header once, then tensors by offset. */
#include "base/crc32c.h"
#include "storage/weights/other_weights.h"
#include "storage/weights/safetensors_header.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { READ_AT_ONCE = 1 << 20 }; /* stays in the cache until its checksum is taken */

struct stk_safetensors {
    stk_file              *file;
    stk_safetensors_header header;
};

static stk_status read_exactly(const stk_safetensors *file, void *dst, size_t size, uint64_t offset,
                               stk_error *err)
{
    size_t got;
    STK_TRY(stk_file_read_at(file->file, dst, size, offset, &got, err));
    if (got == size) return STK_OK;
    return stk_fail(err, STK_E_DATALOSS, "safetensors", file->file->path,
                    "the file ends at byte %" PRIu64 " where %" PRIu64 " were expected",
                    offset + got, offset + size);
}

static uint64_t load_u64(const uint8_t bytes[STK_SAFETENSORS_PREFIX])
{
    uint64_t value = 0;
    for (int i = STK_SAFETENSORS_PREFIX; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

static stk_status read_size(const stk_safetensors *file, size_t *size, stk_error *err)
{
    const uint64_t there = file->file->info.bytes;
    const char    *path = file->file->path;
    uint8_t        prefix[STK_SAFETENSORS_PREFIX];
    if (there < STK_SAFETENSORS_PREFIX)
        return stk_fail(err, STK_E_DATALOSS, "safetensors", path,
                        "%" PRIu64 " bytes are no safetensors file: its header's length takes %d",
                        there, STK_SAFETENSORS_PREFIX);
    STK_TRY(read_exactly(file, prefix, sizeof prefix, 0, err));
    const uint64_t length = load_u64(prefix);
    if (length > STK_SAFETENSORS_HEADER_MAX)
        return stk_fail(err, STK_E_FORMAT, "safetensors", path,
                        "the header would have %" PRIu64 " bytes; the format allows %d: this is no "
                        "safetensors file",
                        length, STK_SAFETENSORS_HEADER_MAX);
    if (length > there - STK_SAFETENSORS_PREFIX)
        return stk_fail(err, STK_E_DATALOSS, "safetensors", path,
                        "the header has %" PRIu64 " bytes, but only %" PRIu64
                        " follow its length: the file is cut off",
                        length, there - STK_SAFETENSORS_PREFIX);
    *size = (size_t)length;
    return STK_OK;
}

static stk_status read_header(stk_safetensors *file, const stk_safetensors_options *options,
                              stk_error *err)
{
    size_t   size = 0;
    stk_blob text;
    STK_TRY(read_size(file, &size, err));
    stk_blob_init(&text, options->ledger, STK_MEMORY_READ);
    stk_status st = stk_blob_reserve_exact(&text, size ? size : 1, err);
    if (!st) st = read_exactly(file, text.data, size, STK_SAFETENSORS_PREFIX, err);
    if (!st)
        st = stk_safetensors_header_parse(&file->header, stk_bytes_of(text.data, size),
                                          STK_SAFETENSORS_PREFIX + size, file->file->info.bytes,
                                          options->skip_checksums, file->file->path, err);
    stk_blob_release(&text);
    return st;
}

/* A file that is something else is called by its name. */
static stk_status name_other(const stk_safetensors *file, stk_status st, stk_error *err)
{
    uint8_t   begin[STK_OTHER_WEIGHTS_BYTES];
    size_t    got;
    stk_error unasked;
    if (st != STK_E_FORMAT && st != STK_E_DATALOSS) return st;
    if (stk_file_read_at(file->file, begin, sizeof begin, 0, &got, &unasked)) return st;
    return stk_other_weights_fail(stk_bytes_of(begin, got), file->file->path, err) ? err->status
                                                                                   : st;
}

stk_status stk_safetensors_open(stk_safetensors **out, const stk_filesystem *fs, const char *path,
                                const stk_safetensors_options *options, stk_error *err)
{
    const stk_safetensors_options defaults = {0};
    stk_error                     unasked;
    *out = NULL;
    if (!options) options = &defaults;
    if (!err) err = &unasked; /* helpers pass on the status it holds */
    stk_safetensors *file = calloc(1, sizeof *file);
    if (!file) return stk_fail(err, STK_E_NOMEM, "safetensors", path, "no memory to open the file");
    stk_safetensors_header_init(&file->header, options->ledger);
    stk_status st = stk_file_open(&file->file, fs, path, STK_ACCESS_SEQUENTIAL, err);
    if (!st) {
        st = read_header(file, options, err);
        if (st) st = name_other(file, st, err);
    }
    if (st) {
        stk_safetensors_free(file);
        return st;
    }
    *out = file;
    return STK_OK;
}

void stk_safetensors_free(stk_safetensors *file)
{
    if (!file) return;
    stk_safetensors_header_release(&file->header);
    stk_file_close(file->file);
    free(file);
}

size_t stk_safetensors_count(const stk_safetensors *file)
{
    return file->header.count;
}

const stk_safetensors_tensor *stk_safetensors_at(const stk_safetensors *file, size_t index)
{
    return index < file->header.count ? &file->header.tensors[index] : NULL;
}

const stk_safetensors_tensor *stk_safetensors_find(const stk_safetensors *file, const char *name)
{
    return stk_safetensors_header_find(&file->header, name);
}

size_t stk_safetensors_text_count(const stk_safetensors *file)
{
    return file->header.text_count;
}

const char *stk_safetensors_text_key(const stk_safetensors *file, size_t index)
{
    return index < file->header.text_count ? file->header.texts[index].key : NULL;
}

const char *stk_safetensors_text_at(const stk_safetensors *file, size_t index)
{
    return index < file->header.text_count ? file->header.texts[index].text : NULL;
}

/* Of equal keys the last counts, as in Python. */
const char *stk_safetensors_text(const stk_safetensors *file, const char *key)
{
    for (size_t i = file->header.text_count; i-- > 0;)
        if (!strcmp(file->header.texts[i].key, key)) return file->header.texts[i].text;
    return NULL;
}

stk_status stk_safetensors_read(const stk_safetensors *file, const stk_safetensors_tensor *tensor,
                                void *dst, stk_error *err)
{
    uint32_t crc = 0;
    for (uint64_t done = 0; done < tensor->bytes;) {
        const uint64_t left = tensor->bytes - done;
        const size_t   part = left < READ_AT_ONCE ? (size_t)left : READ_AT_ONCE;
        uint8_t       *to = (uint8_t *)dst + done;
        STK_TRY(read_exactly(file, to, part, tensor->offset + done, err));
        if (tensor->has_crc32c) crc = stk_crc32c(crc, to, part);
        done += part;
    }
    if (!tensor->has_crc32c || crc == tensor->crc32c) return STK_OK;
    return stk_fail(err, STK_E_DATALOSS, "safetensors", file->file->path,
                    "tensor '%s' (bytes %" PRIu64 " to %" PRIu64 ") has checksum %08" PRIx32
                    ", not %08" PRIx32 " as when it was written: use an older file, or open it "
                    "with skip_checksums where another program changed it on purpose",
                    tensor->name, tensor->offset, tensor->offset + tensor->bytes, crc,
                    tensor->crc32c);
}
