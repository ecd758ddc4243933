/* The codec interface, and its memory: accounted, may fail. */
#ifndef STK_STORAGE_RECORD_COMPRESSION_CODEC_H
#define STK_STORAGE_RECORD_COMPRESSION_CODEC_H

#include "storage/record/compression.h"

/* Where a codec's allocations come from. */
typedef struct stk_codec_memory {
    stk_ledger *ledger;
    stk_memory  memory;
    stk_error   refusal; /* the last one */
} stk_codec_memory;

void *stk_codec_alloc(stk_codec_memory *memory, size_t size);
/* NULL is fine. */
void stk_codec_free(stk_codec_memory *memory, void *block);
/* After a codec ran out of memory: fills err with the reason. */
stk_status stk_codec_refused(const stk_codec_memory *memory, const char *path, stk_error *err);

typedef struct stk_decompressor_ops {
    stk_status (*run)(stk_decompressor *codec, stk_bytes *src, uint8_t *dst, size_t size,
                      size_t *got, stk_error *err);
    void (*free)(stk_decompressor *codec);
} stk_decompressor_ops;

/* A codec embeds this as its first member. */
struct stk_decompressor {
    const stk_decompressor_ops *ops;
    stk_compression             compression;
    const char                 *path;
    stk_codec_memory            memory;
    uint64_t                    consumed, produced; /* kept by the codec, call by call */
    bool                        complete;
};

/* "the gzip data is damaged after N compressed and M uncompressed bytes: REASON". */
stk_status stk_decompressor_fail(const stk_decompressor *codec, const char *reason, stk_error *err);

typedef struct stk_compressor_ops {
    stk_status (*run)(stk_compressor *codec, stk_bytes *src, uint8_t *dst, size_t size, size_t *got,
                      bool end, bool *done, stk_error *err);
    void (*free)(stk_compressor *codec);
} stk_compressor_ops;

struct stk_compressor {
    const stk_compressor_ops *ops;
    const char               *path;
    stk_codec_memory          memory;
};

/* The codecs. base is filled in by the caller and copied. */
STK_NODISCARD stk_status stk_zlib_decompressor(stk_decompressor **out, stk_decompressor base,
                                               stk_error *err);
STK_NODISCARD stk_status stk_zstd_decompressor(stk_decompressor **out, stk_decompressor base,
                                               stk_error *err);
STK_NODISCARD stk_status stk_zlib_compressor(stk_compressor **out, stk_compressor base,
                                             stk_compression compression, int level,
                                             stk_error *err);
STK_NODISCARD stk_status stk_zstd_compressor(stk_compressor **out, stk_compressor base, int level,
                                             stk_error *err);

#endif
