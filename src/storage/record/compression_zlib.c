/* gzip and zlib streams, through zlib. */
#include "base/checked.h"
#include "storage/record/compression_codec.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

enum { GZIP_FORMAT = 16 }; /* added to the window bits, it selects the gzip wrapper */

typedef struct zlib_decompressor {
    stk_decompressor codec;
    z_stream         stream;
    bool             ended; /* a stream is complete; the next byte begins another */
} zlib_decompressor;

typedef struct zlib_compressor {
    stk_compressor codec;
    z_stream       stream;
} zlib_compressor;

static voidpf take_memory(voidpf memory, uInt count, uInt size)
{
    size_t bytes;
    if (stk_mul_overflows(count, size, &bytes)) return NULL;
    return stk_codec_alloc(memory, bytes);
}

static void give_memory(voidpf memory, voidpf block)
{
    stk_codec_free(memory, block);
}

static int window_bits(stk_compression compression)
{
    return MAX_WBITS + (compression == STK_COMPRESSION_GZIP ? GZIP_FORMAT : 0);
}

static uInt bounded(size_t size)
{
    return size > UINT_MAX ? UINT_MAX : (uInt)size;
}

/* One call of inflate: moves src and counts on. */
static int inflate_some(zlib_decompressor *zlib, stk_bytes *src, uint8_t *dst, size_t size,
                        size_t *got)
{
    const uInt in = bounded(src->size), out = bounded(size - *got);
    zlib->stream.next_in = (Bytef *)(uintptr_t)src->data;
    zlib->stream.avail_in = in;
    zlib->stream.next_out = dst + *got;
    zlib->stream.avail_out = out;
    const int    result = inflate(&zlib->stream, Z_NO_FLUSH);
    const size_t used = in - zlib->stream.avail_in, made = out - zlib->stream.avail_out;
    src->data += used;
    src->size -= used;
    *got += made;
    zlib->codec.consumed += used;
    zlib->codec.produced += made;
    return result;
}

static stk_status decompress(stk_decompressor *codec, stk_bytes *src, uint8_t *dst, size_t size,
                             size_t *got, stk_error *err)
{
    zlib_decompressor *zlib = (zlib_decompressor *)codec;
    int                result = Z_OK;
    while (*got < size && result != Z_BUF_ERROR) {
        if (zlib->ended && !src->size) return STK_OK;
        if (zlib->ended) inflateReset(&zlib->stream);
        zlib->ended = false;
        if (src->size) codec->complete = false;
        result = inflate_some(zlib, src, dst, size, got);
        if (result == Z_STREAM_END) zlib->ended = codec->complete = true;
        if (result == Z_MEM_ERROR) return stk_codec_refused(&codec->memory, codec->path, err);
        if (result == Z_NEED_DICT)
            return stk_decompressor_fail(codec, "it needs a dictionary", err);
        if (result == Z_DATA_ERROR || result == Z_STREAM_ERROR)
            return stk_decompressor_fail(
                codec, zlib->stream.msg ? zlib->stream.msg : "it is no such data", err);
    }
    return STK_OK;
}

static void free_decompressor(stk_decompressor *codec)
{
    zlib_decompressor *zlib = (zlib_decompressor *)codec;
    inflateEnd(&zlib->stream);
    free(zlib);
}

stk_status stk_zlib_decompressor(stk_decompressor **out, stk_decompressor base, stk_error *err)
{
    static const stk_decompressor_ops ops = {.run = decompress, .free = free_decompressor};
    zlib_decompressor                *zlib = calloc(1, sizeof *zlib);
    if (!zlib) return stk_fail(err, STK_E_NOMEM, "read", base.path, "no memory to unpack the file");
    zlib->codec = base;
    zlib->codec.ops = &ops;
    zlib->stream.zalloc = take_memory;
    zlib->stream.zfree = give_memory;
    zlib->stream.opaque = &zlib->codec.memory;
    if (inflateInit2(&zlib->stream, window_bits(base.compression)) != Z_OK) {
        const stk_status st = stk_codec_refused(&zlib->codec.memory, base.path, err);
        free_decompressor(&zlib->codec);
        return st;
    }
    *out = &zlib->codec;
    return STK_OK;
}

static stk_status compress_some(stk_compressor *codec, stk_bytes *src, uint8_t *dst, size_t size,
                                size_t *got, bool end, bool *done, stk_error *err)
{
    z_stream  *stream = &((zlib_compressor *)codec)->stream;
    const uInt in = bounded(src->size), out = bounded(size);
    stream->next_in = (Bytef *)(uintptr_t)src->data;
    stream->avail_in = in;
    stream->next_out = dst;
    stream->avail_out = out;
    const int result = deflate(stream, end && in == src->size ? Z_FINISH : Z_NO_FLUSH);
    src->data += in - stream->avail_in;
    src->size -= in - stream->avail_in;
    *got = out - stream->avail_out;
    *done = result == Z_STREAM_END;
    if (result == Z_STREAM_ERROR)
        return stk_fail(err, STK_E_INVALID, "write", codec->path,
                        "the compressed stream is closed already");
    return STK_OK;
}

static void free_compressor(stk_compressor *codec)
{
    zlib_compressor *zlib = (zlib_compressor *)codec;
    deflateEnd(&zlib->stream);
    free(zlib);
}

stk_status stk_zlib_compressor(stk_compressor **out, stk_compressor base,
                               stk_compression compression, int level, stk_error *err)
{
    static const stk_compressor_ops ops = {.run = compress_some, .free = free_compressor};
    const int                       default_memory = 8;
    if (level < 0 || level > 9)
        return stk_fail(err, STK_E_INVALID, "write", base.path,
                        "compression level %d is not between 1 and 9 (0 means the default)", level);
    zlib_compressor *zlib = calloc(1, sizeof *zlib);
    if (!zlib) return stk_fail(err, STK_E_NOMEM, "write", base.path, "no memory to pack the file");
    zlib->codec = base;
    zlib->codec.ops = &ops;
    zlib->stream.zalloc = take_memory;
    zlib->stream.zfree = give_memory;
    zlib->stream.opaque = &zlib->codec.memory;
    if (deflateInit2(&zlib->stream, level ? level : Z_DEFAULT_COMPRESSION, Z_DEFLATED,
                     window_bits(compression), default_memory, Z_DEFAULT_STRATEGY) != Z_OK) {
        const stk_status st = stk_codec_refused(&zlib->codec.memory, base.path, err);
        free_compressor(&zlib->codec);
        return st;
    }
    *out = &zlib->codec;
    return STK_OK;
}
