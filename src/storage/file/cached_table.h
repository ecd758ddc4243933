/* The index of cached files and blocks. */
#ifndef STK_STORAGE_FILE_CACHED_TABLE_H
#define STK_STORAGE_FILE_CACHED_TABLE_H

#include "storage/file/block_store.h"

/* Size of a block, equal to that of read-ahead. */
enum { STK_CACHED_BLOCK = 256 << 10 };

typedef enum stk_cached_state {
    STK_CACHED_MISSING,
    STK_CACHED_LOADING, /* one thread reads it */
    STK_CACHED_THERE
} stk_cached_state;

typedef struct stk_cached_block {
    uint64_t at;      /* address in the store */
    uint32_t crc;     /* CRC-32C, of those on a disk */
    uint8_t  state;   /* stk_cached_state */
    bool     trusted; /* this process wrote it, or has checked it */
} stk_cached_block;

typedef struct stk_cached_entry stk_cached_entry;
struct stk_cached_entry {
    stk_cached_entry *next;    /* in its bucket */
    const char       *path;    /* stored after the blocks */
    stk_file_info     info;    /* bytes and kind never change */
    bool              timed;   /* info.modified_ns is known and final */
    bool              checked; /* info was compared with the file, not only loaded */
    uint64_t          bytes;   /* of this struct */
    size_t            count;
    stk_cached_block  blocks[];
};

typedef struct stk_cached_table {
    stk_ledger        *ledger; /* not a reference */
    stk_cached_entry **buckets;
    size_t             capacity, count; /* capacity is a power of two, or 0 */
    uint64_t           reserved;
} stk_cached_table;

/* The caller locks around all of these. */
stk_cached_entry *stk_cached_table_find(const stk_cached_table *table, const char *path);
/* Adds a file; NULL without memory: then it is not cached. Replaces an unused entry of the same
 * path. */
stk_cached_entry *stk_cached_table_add(stk_cached_table *table, const char *path,
                                       const stk_file_info *info);
void              stk_cached_table_release(stk_cached_table *table);

size_t stk_cached_block_bytes(const stk_cached_entry *entry, size_t index);

/* The list of a store in folder: "STKC", version, entries, CRC-32C of all before it. */
STK_NODISCARD stk_status stk_cached_list_write(const stk_cached_table *table, const char *folder,
                                               stk_error *err);
/* Fills an empty table; *used is the extent of the store. STK_E_NOTFOUND without a list;
 * STK_E_DATALOSS if it is damaged. */
STK_NODISCARD stk_status stk_cached_list_read(stk_cached_table *table, const char *folder,
                                              uint64_t *used, stk_error *err);
/* Serialises the table, and loads it into an empty one: false if the bytes are damaged or memory is
 * short; the table is then empty. */
STK_NODISCARD stk_status stk_cached_list_encode(const stk_cached_table *table, stk_blob *out,
                                                stk_error *err);
bool stk_cached_list_decode(stk_cached_table *table, stk_bytes content, uint64_t *used);
/* Removes the list, if any. */
void stk_cached_list_remove(const char *folder);

#endif
