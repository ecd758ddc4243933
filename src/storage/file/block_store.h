/* Where a cache of files keeps its blocks: in memory, or in a folder. */
#ifndef STK_STORAGE_FILE_BLOCK_STORE_H
#define STK_STORAGE_FILE_BLOCK_STORE_H

#include <stdbool.h>
#include <stoker/filesystem.h>

typedef struct stk_block_store stk_block_store;

/* All functions may be called from any thread. */
typedef struct stk_block_store_ops {
    /* Space for size bytes that are to be kept; NULL where there is no more. */
    void *(*begin)(stk_block_store *store, size_t size);
    /* Keeps what begin gave, filled, or gives it back; *at is where get finds it. On failure
     * nothing is kept. Either way the space is not the caller's any more. */
    stk_status (*keep)(stk_block_store *store, void *space, size_t size, uint64_t *at,
                       stk_error *err);
    void (*drop)(stk_block_store *store, void *space, size_t size);
    stk_status (*get)(stk_block_store *store, uint64_t at, void *dst, size_t size, stk_error *err);
    void (*free)(stk_block_store *store);
} stk_block_store_ops;

struct stk_block_store {
    const stk_block_store_ops *ops;
    bool                       waits; /* get may wait for a disk */
};

/* In memory that is reserved in ledger (NULL is fine) as cache, up to limit bytes. */
STK_NODISCARD stk_status stk_block_store_memory(stk_block_store **out, stk_ledger *ledger,
                                                uint64_t limit, stk_error *err);

/* In the file "blocks" of folder, up to limit bytes. The folder is made where it is not there, its
 * parent must exist. STK_E_BUSY: another process has this folder. */
STK_NODISCARD stk_status stk_block_store_disk(stk_block_store **out, const char *folder,
                                              uint64_t limit, stk_error *err);
/* Of a store on a disk, before the first block: what of the file is used already; the rest goes.
 * STK_E_DATALOSS where it has less. */
STK_NODISCARD stk_status stk_block_store_disk_cut(stk_block_store *store, uint64_t used,
                                                  stk_error *err);
/* Makes all that was kept durable. */
STK_NODISCARD stk_status stk_block_store_disk_sync(stk_block_store *store, stk_error *err);
/* Removes the file when the store is freed. */
void stk_block_store_disk_forget(stk_block_store *store);

#endif
