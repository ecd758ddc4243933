/* stoker/tfrecord.h - read and write TFRecord files, plain or compressed. A record is its length, a
 * masked CRC-32C of the length, the bytes, and a masked CRC-32C of the bytes. Every read checks
 * both. */
#ifndef STOKER_TFRECORD_H
#define STOKER_TFRECORD_H

#include <stdbool.h>
#include <stoker/bytes.h>
#include <stoker/filesystem.h>

STK_BEGIN_DECLS

typedef enum stk_compression {
    STK_COMPRESSION_AUTO, /* reading: by content. writing: none */
    STK_COMPRESSION_NONE,
    STK_COMPRESSION_GZIP,
    STK_COMPRESSION_ZLIB,
    STK_COMPRESSION_ZSTD
} stk_compression;

/* "none", "gzip", "zlib", "zstd", "auto": literals. */
STK_API const char *stk_compression_name(stk_compression compression);

enum {
    STK_TFRECORD_HEADER = 12, /* length and its checksum */
    STK_TFRECORD_FOOTER = 4   /* the data's checksum */
};

typedef struct stk_tfrecord_options {
    stk_compression compression;
    size_t          buffer_bytes;     /* size of a read or write; 0 means 256 KiB */
    uint64_t        max_record_bytes; /* a longer record is STK_E_LIMIT; 0 means 1 GiB */
    int             level;            /* of compression when writing; 0 means the codec's default */
    stk_ledger     *ledger;           /* NULL is fine; must outlive the reader or writer */
} stk_tfrecord_options;

/* One record. data is NULL at the end of the file only. */
typedef struct stk_record {
    stk_bytes bytes;
    uint64_t  offset; /* of the header, in the uncompressed stream */
    uint64_t  index;  /* index in the file */
} stk_record;

typedef struct stk_tfrecord_reader stk_tfrecord_reader; /* for one thread at a time */

/* Opens the file and detects its compression. options may be NULL. */
STK_API STK_NODISCARD stk_status stk_tfrecord_reader_open(stk_tfrecord_reader       **out,
                                                          const stk_filesystem       *fs,
                                                          const char                 *path,
                                                          const stk_tfrecord_options *options,
                                                          stk_error                  *err);

/* Reads the next record, borrowed until the next call on this reader. At the end and after it
 * record->bytes.data is NULL. A damaged record is STK_E_DATALOSS ("truncated record" or "corrupted
 * record", with file, record and offset); the reader stays there and repeats the error until
 * stk_tfrecord_reader_resync. */
STK_API STK_NODISCARD stk_status stk_tfrecord_reader_next(stk_tfrecord_reader *reader,
                                                          stk_record *record, stk_error *err);

/* Skips up to count records, checking only the checksums of their lengths. */
STK_API STK_NODISCARD stk_status stk_tfrecord_reader_skip(stk_tfrecord_reader *reader,
                                                          uint64_t count, uint64_t *skipped,
                                                          stk_error *err);

/* After STK_E_DATALOSS: moves to the next record with two valid checksums past the damage, or to
 * the end of the file. *lost_bytes is the distance. If the header of the damaged record is valid,
 * its own end is tried first. Record indices continue as if one record was lost. */
STK_API STK_NODISCARD stk_status stk_tfrecord_reader_resync(stk_tfrecord_reader *reader,
                                                            uint64_t *lost_bytes, stk_error *err);

/* Moves to a record of known offset and index. STK_E_UNSUPPORTED in a compressed file. */
STK_API STK_NODISCARD stk_status stk_tfrecord_reader_seek(stk_tfrecord_reader *reader,
                                                          uint64_t offset, uint64_t index,
                                                          stk_error *err);

/* Reads only the header of the first record, to detect TFRecords with little memory. *length is the
 * length in the header, UINT64_MAX for an empty file. An invalid header is STK_E_DATALOSS. */
STK_API STK_NODISCARD stk_status stk_tfrecord_peek(const stk_filesystem *fs, const char *path,
                                                   stk_ledger *ledger, uint64_t *length,
                                                   stk_error *err);

STK_API stk_compression stk_tfrecord_reader_compression(const stk_tfrecord_reader *reader);
/* NULL is fine. */
STK_API void stk_tfrecord_reader_free(stk_tfrecord_reader *reader);

typedef struct stk_tfrecord_writer stk_tfrecord_writer; /* for one thread at a time */

/* Opens a writer. The file appears under path at commit. options may be NULL. */
STK_API STK_NODISCARD stk_status stk_tfrecord_writer_open(stk_tfrecord_writer       **out,
                                                          const stk_filesystem       *fs,
                                                          const char                 *path,
                                                          const stk_tfrecord_options *options,
                                                          stk_error                  *err);
STK_API STK_NODISCARD stk_status stk_tfrecord_writer_write(stk_tfrecord_writer *writer,
                                                           stk_bytes record, stk_error *err);
/* Writes framed records (see stk_tfrecord_frame). */
STK_API STK_NODISCARD stk_status stk_tfrecord_writer_write_framed(stk_tfrecord_writer *writer,
                                                                  stk_bytes frames, stk_error *err);
/* Flushes the file and makes it durable and visible. No write may follow. */
STK_API STK_NODISCARD stk_status stk_tfrecord_writer_commit(stk_tfrecord_writer *writer,
                                                            stk_error           *err);
/* Frees the writer; an uncommitted file leaves nothing. NULL is fine. */
STK_API void stk_tfrecord_writer_free(stk_tfrecord_writer *writer);

/* Appends one framed record to blob: threads can frame for one writer in parallel. */
STK_API STK_NODISCARD stk_status stk_tfrecord_frame(stk_blob *blob, stk_bytes record,
                                                    stk_error *err);
/* Frames in place: begin reserves a header at blob's end and returns its position, the caller
 * appends the record's bytes, end fills in length and checksums. */
STK_API STK_NODISCARD stk_status stk_tfrecord_frame_begin(stk_blob *blob, size_t *position,
                                                          stk_error *err);
STK_API STK_NODISCARD stk_status stk_tfrecord_frame_end(stk_blob *blob, size_t position,
                                                        stk_error *err);

STK_END_DECLS
#endif
