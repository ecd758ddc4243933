/* Compressing and decompressing streams piece by piece, whatever the codec. */
#ifndef STK_STORAGE_RECORD_COMPRESSION_H
#define STK_STORAGE_RECORD_COMPRESSION_H

#include <stoker/tfrecord.h>

typedef struct stk_compressor   stk_compressor;
typedef struct stk_decompressor stk_decompressor;

/* compression is GZIP, ZLIB or ZSTD. The codec's memory is taken from ledger; path is for messages
 * and must outlive it. */
STK_NODISCARD stk_status stk_decompressor_new(stk_decompressor **out, stk_compression compression,
                                              stk_ledger *ledger, const char *path, stk_error *err);

/* Turns bytes of *src, which moves on past them, into up to size bytes at dst. *got is 0 only when
 * more input is needed. Streams that follow one another count as one. Damage is STK_E_DATALOSS;
 * nothing but free may follow. */
STK_NODISCARD stk_status stk_decompressor_run(stk_decompressor *codec, stk_bytes *src, void *dst,
                                              size_t size, size_t *got, stk_error *err);

/* Whether the input may end here: all of it so far is whole streams. */
bool stk_decompressor_is_complete(const stk_decompressor *codec);
/* Bytes taken in and given out so far. */
uint64_t stk_decompressor_consumed(const stk_decompressor *codec);
uint64_t stk_decompressor_produced(const stk_decompressor *codec);
/* NULL is fine. */
void stk_decompressor_free(stk_decompressor *codec);

/* level 0 means the codec's default; one the codec does not have is STK_E_INVALID. */
STK_NODISCARD stk_status stk_compressor_new(stk_compressor **out, stk_compression compression,
                                            int level, stk_ledger *ledger, const char *path,
                                            stk_error *err);

/* Takes bytes of *src, which moves on past them, and puts up to size bytes at dst. With end, call
 * again until *done says that the stream is closed. */
STK_NODISCARD stk_status stk_compressor_run(stk_compressor *codec, stk_bytes *src, void *dst,
                                            size_t size, size_t *got, bool end, bool *done,
                                            stk_error *err);
/* NULL is fine. */
void stk_compressor_free(stk_compressor *codec);

#endif
