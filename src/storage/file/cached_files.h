/* A caching file system: reads each file of the one below once and keeps its blocks in memory or in
 * a folder. Threads may read in any order. Files are assumed not to change after they were first
 * seen. */
#ifndef STK_STORAGE_FILE_CACHED_FILES_H
#define STK_STORAGE_FILE_CACHED_FILES_H

#include "storage/file/block_store.h"

typedef struct stk_cached_files stk_cached_files;

typedef struct stk_cached_files_options {
    const stk_filesystem *inner;  /* NULL: the local disks; outlives the cache */
    const char           *folder; /* of the blocks; NULL: in memory */
    uint64_t              limit;  /* bytes of blocks */
    stk_ledger           *ledger; /* of blocks in memory and of tables; NULL is fine */
    /* Receives errors of the cache, which never fail a read; NULL: dropped. From any thread. */
    void (*log)(void *context, const char *line);
    void *log_context;
} stk_cached_files_options;

/* Opens the cache. An existing folder is reused, or restarted if damaged. Files of changed size or
 * time are read again. On failure *out is NULL. */
STK_NODISCARD stk_status stk_cached_files_open(stk_cached_files              **out,
                                               const stk_cached_files_options *options,
                                               stk_error                      *err);
/* All files must be closed. Unsaved content of a folder is lost. NULL is fine. */
void stk_cached_files_free(stk_cached_files *cache);

/* Borrowed from the cache. */
const stk_filesystem *stk_cached_files_system(const stk_cached_files *cache);

/* Makes a folder's content durable for the next process; no-op in memory. */
STK_NODISCARD stk_status stk_cached_files_save(stk_cached_files *cache, stk_error *err);
/* Removes the folder when the cache is freed. */
void stk_cached_files_forget(stk_cached_files *cache);

typedef struct stk_cached_stats {
    uint64_t files;       /* known files */
    uint64_t bytes;       /* bytes of cached blocks */
    uint64_t asked;       /* bytes requested */
    uint64_t read, reads; /* bytes read from below, and calls */
    bool     full;        /* some blocks did not fit */
} stk_cached_stats;

stk_cached_stats stk_cached_files_stats(const stk_cached_files *cache);

#endif
