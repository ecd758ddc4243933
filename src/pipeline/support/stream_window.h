/* A sliding window over the bytes of a file, compressed or not: for sources that find records by
 * content. */
#ifndef STK_PIPELINE_SUPPORT_STREAM_WINDOW_H
#define STK_PIPELINE_SUPPORT_STREAM_WINDOW_H

#include "storage/record/tfrecord_input.h"

typedef struct stk_stream_window {
    stk_tfrecord_input input;
    stk_blob           buffer; /* bytes begin..end are read and not consumed */
    size_t             begin, end;
    uint64_t           offset; /* of begin in the uncompressed file */
    size_t             read_bytes;
    bool               ended; /* end is the end of the file */
} stk_stream_window;

/* read_bytes 0 means 256 KiB. Call release even on failure. */
STK_NODISCARD stk_status stk_stream_window_open(stk_stream_window *w, const stk_filesystem *fs,
                                                const char *path, stk_compression compression,
                                                size_t read_bytes, stk_ledger *ledger,
                                                stk_error *err);
/* A zeroed window is fine. */
void stk_stream_window_release(stk_stream_window *w);

/* Makes more bytes available, unless the file ended. Invalidates data pointers. */
STK_NODISCARD stk_status stk_stream_window_more(stk_stream_window *w, stk_error *err);

/* Moves forward to offset; past the end is STK_E_DATALOSS: the file was changed. */
STK_NODISCARD stk_status stk_stream_window_move(stk_stream_window *w, uint64_t offset,
                                                stk_error *err);

static inline size_t stk_stream_window_available(const stk_stream_window *w)
{
    return w->end - w->begin;
}

static inline const uint8_t *stk_stream_window_data(const stk_stream_window *w)
{
    return w->buffer.data + w->begin;
}

static inline void stk_stream_window_consume(stk_stream_window *w, size_t bytes)
{
    w->begin += bytes;
    w->offset += bytes;
}

static inline const char *stk_stream_window_path(const stk_stream_window *w)
{
    return w->input.file->path;
}

#endif
