/* The bytes of a TFRecord file from front to back, with any compression taken off. */
#ifndef STK_STORAGE_RECORD_TFRECORD_INPUT_H
#define STK_STORAGE_RECORD_TFRECORD_INPUT_H

#include "storage/record/compression.h"

typedef struct stk_tfrecord_input {
    stk_file         *file;
    stk_compression   compression;  /* AUTO only until it is open */
    uint64_t          position;     /* of the next byte of the file to read */
    stk_decompressor *decompressor; /* NULL for a plain file; so are those below */
    stk_blob          packed;       /* a piece of the file */
    stk_bytes         unread;       /* the part of it that is not yet decompressed */
    stk_error         damage;       /* where the stream broke, once it did */
    bool              cut_off;      /* it broke because the file ends too early */
    bool              abandoned;    /* give no more than the end from here on */
} stk_tfrecord_input;

/* Opens the file and finds out its compression. On failure there is still all to release. */
STK_NODISCARD stk_status stk_tfrecord_input_open(stk_tfrecord_input   *input,
                                                 const stk_filesystem *fs, const char *path,
                                                 const stk_tfrecord_options *options,
                                                 stk_error                  *err);
/* A zeroed input is fine. */
void stk_tfrecord_input_release(stk_tfrecord_input *input);

/* Up to size bytes; fewer before the end or damage, 0 only at the end. Damaged compression is
 * STK_E_DATALOSS once all bytes before it were given, and stays so. A file that grows after it was
 * opened ends where it ended then. */
STK_NODISCARD stk_status stk_tfrecord_input_read(stk_tfrecord_input *input, void *dst, size_t size,
                                                 size_t *got, stk_error *err);

/* How many bytes are still to come: exact for a plain file, UINT64_MAX for a compressed one. */
uint64_t stk_tfrecord_input_left(const stk_tfrecord_input *input);

/* In a plain file, where the next read begins. */
void stk_tfrecord_input_seek(stk_tfrecord_input *input, uint64_t position);

/* Whether the end that a read met is one: a plain file may have been cut since it was opened. */
bool stk_tfrecord_input_ended(const stk_tfrecord_input *input);

/* Takes the place where a compressed stream broke, or a plain file was cut, as its end. */
void stk_tfrecord_input_abandon(stk_tfrecord_input *input);

#endif
