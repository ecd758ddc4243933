/* The inside of a TFRecord reader, for the files that share it: reading, resynchronising, the
 * index. */
#ifndef STK_STORAGE_RECORD_TFRECORD_READER_H
#define STK_STORAGE_RECORD_TFRECORD_READER_H

#include "storage/record/tfrecord_input.h"

#include <stoker/buffer.h>

struct stk_tfrecord_reader {
    stk_tfrecord_input input;
    stk_blob           buffer;     /* its bytes begin..end are read and not yet passed */
    size_t             begin, end; /* at begin stands the next record's header */
    uint64_t           offset;     /* of that header in the uncompressed stream */
    uint64_t           index;      /* number of that record */
    size_t             buffer_bytes;
    size_t             passing_read; /* bytes to read at a time while passing over records */
    uint64_t           max_record_bytes;
    bool               damaged; /* the record at begin was found damaged */
    uint64_t           checked; /* bytes of records looked at by resynchronising, since a seek */
};

/* Makes need bytes available at begin, or as many as there are. Reads up to target bytes at once
 * where that is more. */
STK_NODISCARD stk_status stk_tfrecord_reader_fill(stk_tfrecord_reader *reader, size_t need,
                                                  size_t target, stk_error *err);

/* As stk_tfrecord_reader_next; but a long record of a plain file comes in a buffer of its own
 * (*owner, one reference for the caller; NULL: record is borrowed as usual), read into it directly:
 * one copy instead of two. */
STK_NODISCARD stk_status stk_tfrecord_reader_take(stk_tfrecord_reader *reader, stk_ledger *ledger,
                                                  stk_record *record, stk_buffer **owner,
                                                  stk_error *err);

/* Moves on by bytes that are available. */
void stk_tfrecord_reader_advance(stk_tfrecord_reader *reader, size_t bytes);

/* Skips one record without checking its data, which is not even read in an uncompressed file.
 * *passed is false at the end of the file. */
STK_NODISCARD stk_status stk_tfrecord_reader_pass(stk_tfrecord_reader *reader, bool *passed,
                                                  uint64_t *length, stk_error *err);

#endif
