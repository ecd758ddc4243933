/* Storage of a file cache's blocks: in memory or in a folder. */
#ifndef STK_STORAGE_FILE_BLOCK_STORE_H
#define STK_STORAGE_FILE_BLOCK_STORE_H

#include <stdbool.h>
#include <stoker/filesystem.h>

typedef struct stk_block_store stk_block_store;

/* All functions are thread-safe. */
typedef struct stk_block_store_ops {
    /* Allocates space for a block of size bytes; NULL if full. */
    void *(*begin)(stk_block_store *store, size_t size);
    /* Commits the filled space of begin, or discards it; *at is its address for get. On failure
     * nothing is kept. Either way the caller gives up the space. */
    stk_status (*keep)(stk_block_store *store, void *space, size_t size, uint64_t *at,
                       stk_error *err);
    void (*drop)(stk_block_store *store, void *space, size_t size);
    stk_status (*get)(stk_block_store *store, uint64_t at, void *dst, size_t size, stk_error *err);
    void (*free)(stk_block_store *store);
} stk_block_store_ops;

struct stk_block_store {
    const stk_block_store_ops *ops;
    bool                       waits; /* get may block on a disk */
};

/* A store in memory, accounted in ledger (NULL is fine) as cache, up to limit bytes. */
STK_NODISCARD stk_status stk_block_store_memory(stk_block_store **out, stk_ledger *ledger,
                                                uint64_t limit, stk_error *err);

/* A store in the file "blocks" of folder, up to limit bytes. Creates the folder; its parent must
 * exist. STK_E_BUSY: another process uses it. */
STK_NODISCARD stk_status stk_block_store_disk(stk_block_store **out, const char *folder,
                                              uint64_t limit, stk_error *err);
/* For a disk store, before the first block: keeps the first bytes of the file and truncates the
 * rest. STK_E_DATALOSS if it is shorter. */
STK_NODISCARD stk_status stk_block_store_disk_cut(stk_block_store *store, uint64_t used,
                                                  stk_error *err);
/* Makes all committed blocks durable. */
STK_NODISCARD stk_status stk_block_store_disk_sync(stk_block_store *store, stk_error *err);
/* Removes the file when the store is freed. */
void stk_block_store_disk_forget(stk_block_store *store);

#endif
