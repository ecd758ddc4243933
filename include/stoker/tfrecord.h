/* stoker/tfrecord.h - read and write TFRecord files, plain or compressed.
 * A record is its length, a masked CRC-32C of the length, the bytes, and a masked CRC-32C of the
 * bytes. Both checks are made on every record read. */
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
    size_t          buffer_bytes;     /* read or write at a time; 0 means 256 KiB */
    uint64_t        max_record_bytes; /* a longer record is STK_E_LIMIT; 0 means 1 GiB */
    int             level;            /* of compression when writing; 0 means the codec's default */
    stk_ledger     *ledger;           /* NULL is fine; must outlive the reader or writer */
} stk_tfrecord_options;

/* One record. data is NULL at the end of the file only. */
typedef struct stk_record {
    stk_bytes bytes;
    uint64_t  offset; /* of the header, in the uncompressed stream */
    uint64_t  index;  /* number in the file, from 0 */
} stk_record;

typedef struct stk_tfrecord_reader stk_tfrecord_reader; /* for one thread at a time */

/* Opens the file and finds out its compression. options may be NULL. */
STK_API STK_NODISCARD stk_status stk_tfrecord_reader_open(stk_tfrecord_reader       **out,
                                                          const stk_filesystem       *fs,
                                                          const char                 *path,
                                                          const stk_tfrecord_options *options,
                                                          stk_error                  *err);

/* The next record, lent until the next call on this reader. At the end record->bytes.data is NULL,
 * however often it is asked. A damaged record is STK_E_DATALOSS ("truncated record" or "corrupted
 * record", with file, record and offset); the reader then stays there and gives the same error
 * until it is resynchronised. */
STK_API STK_NODISCARD stk_status stk_tfrecord_reader_next(stk_tfrecord_reader *reader,
                                                          stk_record *record, stk_error *err);

/* Passes over up to count records, checking only their lengths' checksums. */
STK_API STK_NODISCARD stk_status stk_tfrecord_reader_skip(stk_tfrecord_reader *reader,
                                                          uint64_t count, uint64_t *skipped,
                                                          stk_error *err);

/* After STK_E_DATALOSS: moves to the next place past the damage where a whole record with both
 * checksums right begins, or to the end of the file. *lost_bytes is how far that is. Where the
 * header of the damaged record is sound, its own end is tried first. Record numbers go on as if
 * one record was lost. */
STK_API STK_NODISCARD stk_status stk_tfrecord_reader_resync(stk_tfrecord_reader *reader,
                                                            uint64_t *lost_bytes, stk_error *err);

/* Moves to a record whose offset and number are known. STK_E_UNSUPPORTED in a compressed file. */
STK_API STK_NODISCARD stk_status stk_tfrecord_reader_seek(stk_tfrecord_reader *reader,
                                                          uint64_t offset, uint64_t index,
                                                          stk_error *err);

/* Looks at the head of the first record alone, however long that claims to be: to find out whether
 * a file is TFRecords takes next to no memory. *length is what the head says, UINT64_MAX where the
 * file is empty. A head that is not sound is STK_E_DATALOSS. */
STK_API STK_NODISCARD stk_status stk_tfrecord_peek(const stk_filesystem *fs, const char *path,
                                                   stk_ledger *ledger, uint64_t *length,
                                                   stk_error *err);

STK_API stk_compression stk_tfrecord_reader_compression(const stk_tfrecord_reader *reader);
/* NULL is fine. */
STK_API void stk_tfrecord_reader_free(stk_tfrecord_reader *reader);

typedef struct stk_tfrecord_writer stk_tfrecord_writer; /* for one thread at a time */

/* The file appears under path when it is committed, not before. options may be NULL. */
STK_API STK_NODISCARD stk_status stk_tfrecord_writer_open(stk_tfrecord_writer       **out,
                                                          const stk_filesystem       *fs,
                                                          const char                 *path,
                                                          const stk_tfrecord_options *options,
                                                          stk_error                  *err);
STK_API STK_NODISCARD stk_status stk_tfrecord_writer_write(stk_tfrecord_writer *writer,
                                                           stk_bytes record, stk_error *err);
/* Writes records that are framed already (see stk_tfrecord_frame). */
STK_API STK_NODISCARD stk_status stk_tfrecord_writer_write_framed(stk_tfrecord_writer *writer,
                                                                  stk_bytes frames, stk_error *err);
/* Flushes, makes the file durable and visible. Nothing may be written after. */
STK_API STK_NODISCARD stk_status stk_tfrecord_writer_commit(stk_tfrecord_writer *writer,
                                                            stk_error           *err);
/* Without a commit before, nothing is left behind. NULL is fine. */
STK_API void stk_tfrecord_writer_free(stk_tfrecord_writer *writer);

/* Appends one framed record to blob, so that several threads can frame for one writer. */
STK_API STK_NODISCARD stk_status stk_tfrecord_frame(stk_blob *blob, stk_bytes record,
                                                    stk_error *err);
/* Frames in place: begin makes room for a header at blob's end and gives its position, the caller
 * appends the record's bytes, end fills in length and checksums. */
STK_API STK_NODISCARD stk_status stk_tfrecord_frame_begin(stk_blob *blob, size_t *position,
                                                          stk_error *err);
STK_API STK_NODISCARD stk_status stk_tfrecord_frame_end(stk_blob *blob, size_t position,
                                                        stk_error *err);

STK_END_DECLS
#endif
