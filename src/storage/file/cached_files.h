/* A file system whose files are read from the one below once: blocks of them stay in memory or in a
 * folder. Who reads through it gets the same bytes in whatever order and from however many threads;
 * a file is taken to stay as it was when it was first seen. */
#ifndef STK_STORAGE_FILE_CACHED_FILES_H
#define STK_STORAGE_FILE_CACHED_FILES_H

#include "storage/file/block_store.h"

typedef struct stk_cached_files stk_cached_files;

typedef struct stk_cached_files_options {
    const stk_filesystem *inner;  /* NULL: the local disks; outlives the cache */
    const char           *folder; /* for the blocks; NULL: they are in memory */
    uint64_t              limit;  /* bytes of blocks */
    stk_ledger           *ledger; /* of blocks in memory and of tables; NULL is fine */
    /* What went wrong with the cache, which never fails a read; NULL: dropped. From any thread. */
    void (*log)(void *context, const char *line);
    void *log_context;
} stk_cached_files_options;

/* A folder that has a cache of the same files is used on; one that is damaged begins anew. Files
 * whose size or time is another one by now are read again. On failure *out is NULL. */
STK_NODISCARD stk_status stk_cached_files_open(stk_cached_files              **out,
                                               const stk_cached_files_options *options,
                                               stk_error                      *err);
/* All files must be closed. What is in a folder and was not saved goes. NULL is fine. */
void stk_cached_files_free(stk_cached_files *cache);

/* Lent; lives as long as the cache. */
const stk_filesystem *stk_cached_files_system(const stk_cached_files *cache);

/* Makes what is in a folder durable, for the next process; nothing for one in memory. */
STK_NODISCARD stk_status stk_cached_files_save(stk_cached_files *cache, stk_error *err);
/* The folder goes when the cache is freed. */
void stk_cached_files_forget(stk_cached_files *cache);

typedef struct stk_cached_stats {
    uint64_t files;       /* that are known */
    uint64_t bytes;       /* of blocks that are there */
    uint64_t asked;       /* bytes that were asked for */
    uint64_t read, reads; /* bytes from below, and calls for them */
    bool     full;        /* some did not fit */
} stk_cached_stats;

stk_cached_stats stk_cached_files_stats(const stk_cached_files *cache);

#endif
