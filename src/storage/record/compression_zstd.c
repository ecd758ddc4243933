/* zstd streams. The library's interface for custom memory is used, so that windows of many
 * megabytes are accounted like everything else. */
#define ZSTD_STATIC_LINKING_ONLY /* shows ZSTD_customMem */
#include "storage/record/compression_codec.h"

#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

enum { FIRST_STEP = ZSTD_FRAMEHEADERSIZE_PREFIX(ZSTD_f_zstd1), BLOCK_HEADER = 3 };

typedef struct zstd_decompressor {
    stk_decompressor codec;
    ZSTD_DCtx       *context;
    size_t           wanted;  /* bytes of input that make the next step */
    bool             pending; /* dst was full, so that there may be more for it */
} zstd_decompressor;

typedef struct zstd_compressor {
    stk_compressor codec;
    ZSTD_CCtx     *context;
} zstd_compressor;

static void *take_memory(void *memory, size_t size)
{
    return stk_codec_alloc(memory, size);
}

static void give_memory(void *memory, void *block)
{
    stk_codec_free(memory, block);
}

static ZSTD_customMem memory_from(stk_codec_memory *memory)
{
    return (ZSTD_customMem){take_memory, give_memory, memory};
}

/* One step. An error in it gives none of its output, so that steps must be small, or what can be
 * saved of a damaged file would depend on the size of our buffers. zstd asks for a block together
 * with the header of the next one: that header is left to the next step. And first of all, what a
 * full dst left behind is fetched without any input. */
static size_t step(zstd_decompressor *zstd, stk_bytes *src, ZSTD_outBuffer *out)
{
    const size_t  before = out->pos;
    const size_t  wanted = zstd->pending ? 0 : zstd->wanted;
    ZSTD_inBuffer in = {src->data, src->size < wanted ? src->size : wanted, 0};
    const size_t  result = ZSTD_decompressStream(zstd->context, out, &in);
    /* A failed call may move the position over bytes it never wrote. */
    if (ZSTD_isError(result)) out->pos = before;
    src->data += in.pos;
    src->size -= in.pos;
    zstd->codec.consumed += in.pos;
    zstd->codec.produced += out->pos - before;
    zstd->pending = out->pos == out->size && result != 0;
    return result;
}

/* Libraries may support formats before zstd 0.8, with old decoders that are not hardened any more.
 * The first byte distinguishes them: 0x28 begins a frame, 0x50 to 0x5f a skippable one. */
static bool begins_frame(stk_bytes src)
{
    return src.data[0] == 0x28 || src.data[0] >> 4 == 5;
}

static stk_status decompress(stk_decompressor *codec, stk_bytes *src, uint8_t *dst, size_t size,
                             size_t *got, stk_error *err)
{
    zstd_decompressor *zstd = (zstd_decompressor *)codec;
    ZSTD_outBuffer     out = {dst, size, 0};
    while (out.pos < out.size && (src->size || zstd->pending)) {
        if (codec->complete && !src->size) break;
        if (codec->complete && !begins_frame(*src))
            return stk_decompressor_fail(codec, "Unknown frame descriptor", err);
        const size_t result = step(zstd, src, &out);
        *got = out.pos;
        if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation)
            return stk_codec_refused(&codec->memory, codec->path, err);
        if (ZSTD_isError(result))
            return stk_decompressor_fail(codec, ZSTD_getErrorName(result), err);
        codec->complete = result == 0;
        zstd->wanted = result > BLOCK_HEADER ? result - BLOCK_HEADER : result;
        if (codec->complete) zstd->wanted = FIRST_STEP;
    }
    return STK_OK;
}

static void free_decompressor(stk_decompressor *codec)
{
    zstd_decompressor *zstd = (zstd_decompressor *)codec;
    ZSTD_freeDCtx(zstd->context);
    free(zstd);
}

stk_status stk_zstd_decompressor(stk_decompressor **out, stk_decompressor base, stk_error *err)
{
    static const stk_decompressor_ops ops = {.run = decompress, .free = free_decompressor};
    zstd_decompressor                *zstd = calloc(1, sizeof *zstd);
    if (!zstd) return stk_fail(err, STK_E_NOMEM, "read", base.path, "no memory to unpack the file");
    zstd->codec = base;
    zstd->codec.ops = &ops;
    zstd->wanted = FIRST_STEP;
    zstd->context = ZSTD_createDCtx_advanced(memory_from(&zstd->codec.memory));
    if (!zstd->context) {
        const stk_status st = stk_codec_refused(&zstd->codec.memory, base.path, err);
        free_decompressor(&zstd->codec);
        return st;
    }
    *out = &zstd->codec;
    return STK_OK;
}

static stk_status compress_some(stk_compressor *codec, stk_bytes *src, uint8_t *dst, size_t size,
                                size_t *got, bool end, bool *done, stk_error *err)
{
    zstd_compressor *zstd = (zstd_compressor *)codec;
    ZSTD_inBuffer    in = {src->data, src->size, 0};
    ZSTD_outBuffer   out = {dst, size, 0};
    const size_t     result =
        ZSTD_compressStream2(zstd->context, &out, &in, end ? ZSTD_e_end : ZSTD_e_continue);
    src->data += in.pos;
    src->size -= in.pos;
    *got = out.pos;
    if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation)
        return stk_codec_refused(&codec->memory, codec->path, err);
    if (ZSTD_isError(result))
        return stk_fail(err, STK_E_INVALID, "write", codec->path, "cannot compress: %s",
                        ZSTD_getErrorName(result));
    *done = end && result == 0;
    return STK_OK;
}

static void free_compressor(stk_compressor *codec)
{
    zstd_compressor *zstd = (zstd_compressor *)codec;
    ZSTD_freeCCtx(zstd->context);
    free(zstd);
}

stk_status stk_zstd_compressor(stk_compressor **out, stk_compressor base, int level, stk_error *err)
{
    static const stk_compressor_ops ops = {.run = compress_some, .free = free_compressor};
    if (level < 0 || level > ZSTD_maxCLevel())
        return stk_fail(err, STK_E_INVALID, "write", base.path,
                        "compression level %d is not between 1 and %d (0 means the default)", level,
                        ZSTD_maxCLevel());
    zstd_compressor *zstd = calloc(1, sizeof *zstd);
    if (!zstd) return stk_fail(err, STK_E_NOMEM, "write", base.path, "no memory to pack the file");
    zstd->codec = base;
    zstd->codec.ops = &ops;
    zstd->context = ZSTD_createCCtx_advanced(memory_from(&zstd->codec.memory));
    if (!zstd->context) {
        const stk_status st = stk_codec_refused(&zstd->codec.memory, base.path, err);
        free_compressor(&zstd->codec);
        return st;
    }
    /* zstd also treats 0 as its default level. The checksum distinguishes damage from the end. */
    ZSTD_CCtx_setParameter(zstd->context, ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(zstd->context, ZSTD_c_checksumFlag, 1);
    *out = &zstd->codec;
    return STK_OK;
}
