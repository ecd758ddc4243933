/* Choosing a codec, and the memory codecs work in. */
#include "storage/record/compression_codec.h"

#include "base/checked.h"

#include <inttypes.h>
#include <stdalign.h>
#include <stdlib.h>

const char *stk_compression_name(stk_compression compression)
{
    switch (compression) {
    case STK_COMPRESSION_AUTO:
        return "auto";
    case STK_COMPRESSION_NONE:
        return "none";
    case STK_COMPRESSION_GZIP:
        return "gzip";
    case STK_COMPRESSION_ZLIB:
        return "zlib";
    case STK_COMPRESSION_ZSTD:
        return "zstd";
    }
    return "unknown";
}

/* Codecs free without saying how much: the size stands before each block. */
typedef union block_header {
    size_t      size;
    max_align_t align;
} block_header;

void *stk_codec_alloc(stk_codec_memory *memory, size_t size)
{
    size_t total;
    if (stk_add_overflows(size, sizeof(block_header), &total)) return NULL;
    if (stk_ledger_reserve(memory->ledger, memory->memory, total, &memory->refusal)) return NULL;
    block_header *block = malloc(total);
    if (!block) {
        stk_ledger_release(memory->ledger, memory->memory, total);
        stk_fail(&memory->refusal, STK_E_NOMEM, "memory", NULL, "no memory for %zu bytes", total);
        return NULL;
    }
    block->size = total;
    return block + 1;
}

void stk_codec_free(stk_codec_memory *memory, void *block)
{
    if (!block) return;
    block_header *header = (block_header *)block - 1;
    stk_ledger_release(memory->ledger, memory->memory, header->size);
    free(header);
}

stk_status stk_codec_refused(const stk_codec_memory *memory, const char *path, stk_error *err)
{
    const stk_error *why = &memory->refusal;
    return stk_fail(err, why->status ? why->status : STK_E_NOMEM, "memory", path,
                    "no memory to pack or unpack the file: %s", why->message);
}

static stk_status refuse_codec(const char *component, const char *path, stk_compression compression,
                               stk_error *err)
{
    return stk_fail(err, STK_E_INVALID, component, path, "%d is no kind of compression",
                    (int)compression);
}

stk_status stk_decompressor_new(stk_decompressor **out, stk_compression compression,
                                stk_ledger *ledger, const char *path, stk_error *err)
{
    *out = NULL;
    const stk_decompressor base = {.compression = compression,
                                   .path = path,
                                   .memory = {.ledger = ledger, .memory = STK_MEMORY_READ},
                                   .complete = true};
    if (compression == STK_COMPRESSION_GZIP || compression == STK_COMPRESSION_ZLIB)
        return stk_zlib_decompressor(out, base, err);
    if (compression == STK_COMPRESSION_ZSTD) return stk_zstd_decompressor(out, base, err);
    return refuse_codec("read", path, compression, err);
}

stk_status stk_decompressor_run(stk_decompressor *codec, stk_bytes *src, void *dst, size_t size,
                                size_t *got, stk_error *err)
{
    *got = 0;
    return codec->ops->run(codec, src, dst, size, got, err);
}

bool stk_decompressor_is_complete(const stk_decompressor *codec)
{
    return codec->complete;
}

uint64_t stk_decompressor_consumed(const stk_decompressor *codec)
{
    return codec->consumed;
}

uint64_t stk_decompressor_produced(const stk_decompressor *codec)
{
    return codec->produced;
}

stk_status stk_decompressor_fail(const stk_decompressor *codec, const char *reason, stk_error *err)
{
    return stk_fail(err, STK_E_DATALOSS, "read", codec->path,
                    "the %s data is damaged after %" PRIu64 " compressed and %" PRIu64
                    " uncompressed bytes: %s",
                    stk_compression_name(codec->compression), codec->consumed, codec->produced,
                    reason);
}

void stk_decompressor_free(stk_decompressor *codec)
{
    if (codec) codec->ops->free(codec);
}

stk_status stk_compressor_new(stk_compressor **out, stk_compression compression, int level,
                              stk_ledger *ledger, const char *path, stk_error *err)
{
    *out = NULL;
    const stk_compressor base = {.path = path,
                                 .memory = {.ledger = ledger, .memory = STK_MEMORY_OUTPUT}};
    if (compression == STK_COMPRESSION_GZIP || compression == STK_COMPRESSION_ZLIB)
        return stk_zlib_compressor(out, base, compression, level, err);
    if (compression == STK_COMPRESSION_ZSTD) return stk_zstd_compressor(out, base, level, err);
    return refuse_codec("write", path, compression, err);
}

stk_status stk_compressor_run(stk_compressor *codec, stk_bytes *src, void *dst, size_t size,
                              size_t *got, bool end, bool *done, stk_error *err)
{
    *got = 0;
    *done = false;
    return codec->ops->run(codec, src, dst, size, got, end, done, err);
}

void stk_compressor_free(stk_compressor *codec)
{
    if (codec) codec->ops->free(codec);
}
