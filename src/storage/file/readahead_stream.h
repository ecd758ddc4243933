/* One file that is read ahead, and what it shares with its file system. */
#ifndef STK_STORAGE_FILE_READAHEAD_STREAM_H
#define STK_STORAGE_FILE_READAHEAD_STREAM_H

#include "base/threads.h"
#include "storage/file/readahead.h"

/* What all streams of a file system share. */
typedef struct stk_readahead_shared {
    const stk_filesystem *inner;
    stk_io               *io;
    stk_readahead_options options; /* defaults filled in; never changes */
    int                   open;    /* atomic: streams that are not closed */
    pthread_mutex_t       lock;    /* of alive; taken inside no other */
    pthread_cond_t        ended;   /* a stream is gone */
    int                   alive;   /* streams that still have memory and a file below */
} stk_readahead_shared;

/* Around what may wait for storage. */
static inline void stk_stream_wait(const stk_readahead_shared *shared, bool begins)
{
    const stk_read_watch *watch = shared->options.watch;
    if (watch) watch->wait(watch->context, begins);
}

/* Opens path below to be read ahead. The file is legal to close while blocks are in flight: the
 * last of them frees it. */
STK_NODISCARD stk_status stk_stream_open(stk_file **out, stk_readahead_shared *shared,
                                         const char *path, stk_error *err);

/* Asks for the first blocks of a file that stk_stream_open gave, before they are wanted. */
void stk_stream_begin(stk_file *file);

#endif
