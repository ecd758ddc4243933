/* A file system whose sequential files are read ahead through an engine. Files opened
 * STK_ACCESS_SEQUENTIAL are read in blocks ahead of requests; bytes in the page cache are read
 * directly. Other calls go to the file system below. The length of a file is fixed when it is
 * opened or hinted. */
#ifndef STK_STORAGE_FILE_READAHEAD_H
#define STK_STORAGE_FILE_READAHEAD_H

#include "storage/file/io_engine.h"

/* Callbacks of the reading thread at the start and end of a wait, with the bytes read. Waits do not
 * nest. */
typedef struct stk_read_watch {
    void (*wait)(void *context, bool begins);
    void (*got)(void *context, size_t bytes);
    void *context;
} stk_read_watch;

typedef struct stk_readahead_options {
    size_t block_bytes;  /* 0 means 256 KiB; at most 1 GiB */
    int    blocks_ahead; /* max blocks per file; 0: twice the engine's limit divided by the open
                            files */
    stk_ledger *ledger;  /* accounts for blocks as STK_MEMORY_READ; NULL is fine. At the ceiling
                            fewer blocks are read ahead, possibly none; reads do not fail */
    const stk_read_watch *watch; /* NULL: none; must outlive the file system */
} stk_readahead_options;

/* Borrows inner (NULL: the local disks), io and the ledger: inner and the ledger must outlive the
 * file system, io the last read, open and hint. NULL options are all zero. */
STK_NODISCARD stk_status stk_readahead_new(stk_filesystem **out, const stk_filesystem *inner,
                                           stk_io *io, const stk_readahead_options *options,
                                           stk_error *err);

/* Every file must be closed. Waits for reads in flight. NULL is fine. */
void stk_readahead_free(stk_filesystem *fs);

/* Drops all hints and waits for all reads ahead. Every file must be closed. */
void stk_readahead_wait(stk_filesystem *fs);

/* Opens path and reads its first blocks in the background for a later open of the same path. The
 * latest 16 hints are kept. Never fails: the open reports errors. */
void stk_readahead_hint(stk_filesystem *fs, const char *path);

#endif
