/* One file with read-ahead, and the state shared with its file system. */
#ifndef STK_STORAGE_FILE_READAHEAD_STREAM_H
#define STK_STORAGE_FILE_READAHEAD_STREAM_H

#include "base/threads.h"
#include "storage/file/readahead.h"

/* Shared by all streams of a file system. */
typedef struct stk_readahead_shared {
    const stk_filesystem *inner;
    stk_io               *io;
    stk_readahead_options options; /* defaults filled in; never changes */
    int                   open;    /* atomic: open streams */
    pthread_mutex_t       lock;    /* of alive; a leaf lock */
    pthread_cond_t        ended;   /* a stream is gone */
    int                   alive;   /* streams that still have memory and a file below */
} stk_readahead_shared;

/* Marks a wait for storage. */
static inline void stk_stream_wait(const stk_readahead_shared *shared, bool begins)
{
    const stk_read_watch *watch = shared->options.watch;
    if (watch) watch->wait(watch->context, begins);
}

/* Opens path below to be read ahead. The file is legal to close while blocks are in flight: the
 * last of them frees it. */
STK_NODISCARD stk_status stk_stream_open(stk_file **out, stk_readahead_shared *shared,
                                         const char *path, stk_error *err);

/* Requests the first blocks of a file of stk_stream_open in advance. */
void stk_stream_begin(stk_file *file);

#endif
