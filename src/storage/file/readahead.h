/* A file system whose sequential files are read ahead through an engine.
 * Files opened STK_ACCESS_SEQUENTIAL are read in blocks before they are asked for; bytes that the
 * page cache has are read straight from there. All else passes through to the file system below. A
 * file ends where it ended when it was opened (or hinted). */
#ifndef STK_STORAGE_FILE_READAHEAD_H
#define STK_STORAGE_FILE_READAHEAD_H

#include "storage/file/io_engine.h"

/* Is told, by the thread that reads, when it begins and ends to wait for bytes, and how many it
 * got. Waits do not nest. */
typedef struct stk_read_watch {
    void (*wait)(void *context, bool begins);
    void (*got)(void *context, size_t bytes);
    void *context;
} stk_read_watch;

typedef struct stk_readahead_options {
    size_t block_bytes;  /* 0 means 256 KiB; at most 1 GiB */
    int    blocks_ahead; /* blocks of a file at most; 0 means twice the engine's limit, shared
                          * by the open files */
    stk_ledger *ledger;  /* the blocks are STK_MEMORY_READ in it; NULL is fine. At the ceiling
                          * fewer blocks are read ahead, at worst none: reads never fail for it */
    const stk_read_watch *watch; /* NULL: none; must outlive the file system */
} stk_readahead_options;

/* Keeps inner (NULL: the local disks), io and the ledger by pointer: inner and the ledger must
 * outlive the file system, io the last read, open and hint. NULL options are all zero. */
STK_NODISCARD stk_status stk_readahead_new(stk_filesystem **out, const stk_filesystem *inner,
                                           stk_io *io, const stk_readahead_options *options,
                                           stk_error *err);

/* Every file must be closed. Waits for reads that are still under way. NULL is fine. */
void stk_readahead_free(stk_filesystem *fs);

/* Forgets all hints and waits until nothing is read ahead any more. Every file must be closed. */
void stk_readahead_wait(stk_filesystem *fs);

/* Begins to open path and to read its first blocks in the background, so that a later open of the
 * same path finds them. The latest 16 hints are kept. Never fails: what is wrong with the file, the
 * open will say. */
void stk_readahead_hint(stk_filesystem *fs, const char *path);

#endif
