/* Internals of the file cache. */
#ifndef STK_STORAGE_FILE_CACHED_INSIDE_H
#define STK_STORAGE_FILE_CACHED_INSIDE_H

#include "storage/file/cached_files.h"
#include "storage/file/cached_table.h"

#include <pthread.h>

struct stk_cached_files {
    stk_filesystem           fs; /* first: returned as the file system */
    stk_filesystem_ops       ops;
    stk_cached_files_options options;
    char                    *folder;
    stk_block_store         *store;
    pthread_mutex_t          lock;    /* of the table and the blocks' states */
    pthread_cond_t           arrived; /* signalled when a block arrived or failed */
    stk_cached_table         table;
    bool                     full;                      /* atomic: no more blocks are kept */
    bool                     saved;                     /* the list on disk is current */
    bool                     forgotten;                 /* remove the folder at the end */
    uint64_t                 bytes, asked, read, reads; /* atomic */
};

typedef struct stk_cached_file {
    stk_file          file;
    stk_cached_files *cache;
    stk_cached_entry *entry; /* NULL: out of memory */
    stk_access        access;
    pthread_mutex_t   lock;  /* of inner */
    stk_file         *inner; /* NULL until the first miss */
} stk_cached_file;

static inline void stk_cached_count(uint64_t *counter, uint64_t more)
{
    __atomic_fetch_add(counter, more, __ATOMIC_RELAXED);
}

/* Opens the file below, once. */
STK_NODISCARD stk_status stk_cached_open_inner(stk_cached_file *file, stk_error *err);

/* The calls of an open file's table (cached_read.c). */
STK_NODISCARD stk_status stk_cached_read_at(stk_file *file, void *dst, size_t size, uint64_t offset,
                                            size_t *got, stk_error *err);
size_t stk_cached_read_ready(stk_file *file, void *dst, size_t size, uint64_t offset);

/* Copies all blocks of a small file into blob; false if one is missing. */
bool stk_cached_copy_file(stk_cached_files *cache, stk_cached_entry *entry, stk_blob *blob);
/* Caches a small file completely, unless parts of it are cached already. */
void stk_cached_keep_file(stk_cached_files *cache, stk_cached_entry *entry, const stk_blob *blob);

#endif
