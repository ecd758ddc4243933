/* Which blocks of which files a cache has. */
#ifndef STK_STORAGE_FILE_CACHED_TABLE_H
#define STK_STORAGE_FILE_CACHED_TABLE_H

#include "storage/file/block_store.h"

/* Of a block: as much as is read ahead at a time. */
enum { STK_CACHED_BLOCK = 256 << 10 };

typedef enum stk_cached_state {
    STK_CACHED_MISSING,
    STK_CACHED_LOADING, /* one thread reads it */
    STK_CACHED_THERE
} stk_cached_state;

typedef struct stk_cached_block {
    uint64_t at;      /* in the store, where it is there */
    uint32_t crc;     /* CRC-32C, of those on a disk */
    uint8_t  state;   /* stk_cached_state */
    bool     trusted; /* this process wrote it, or has checked it */
} stk_cached_block;

typedef struct stk_cached_entry stk_cached_entry;
struct stk_cached_entry {
    stk_cached_entry *next;    /* in its bucket */
    const char       *path;    /* behind the blocks */
    stk_file_info     info;    /* bytes and kind never change */
    bool              timed;   /* info.modified_ns is known, and does not change any more */
    bool              checked; /* info is that of the file, not only of a list */
    uint64_t          bytes;   /* of this struct */
    size_t            count;
    stk_cached_block  blocks[];
};

typedef struct stk_cached_table {
    stk_ledger        *ledger; /* not a reference */
    stk_cached_entry **buckets;
    size_t             capacity, count; /* room is a power of two, or 0 */
    uint64_t           reserved;
} stk_cached_table;

/* The caller holds a lock around all of these. */
stk_cached_entry *stk_cached_table_find(const stk_cached_table *table, const char *path);
/* NULL without memory: then the file is not cached. In place of one of the same path, which must
 * not be in use. */
stk_cached_entry *stk_cached_table_add(stk_cached_table *table, const char *path,
                                       const stk_file_info *info);
void              stk_cached_table_release(stk_cached_table *table);

size_t stk_cached_block_bytes(const stk_cached_entry *entry, size_t index);

/* The list of a store in folder: "STKC", version, entries, CRC-32C of all before it. */
STK_NODISCARD stk_status stk_cached_list_write(const stk_cached_table *table, const char *folder,
                                               stk_error *err);
/* Fills an empty table; *used is how much of the store it speaks of. STK_E_NOTFOUND: there is none;
 * STK_E_DATALOSS: it is damaged. */
STK_NODISCARD stk_status stk_cached_list_read(stk_cached_table *table, const char *folder,
                                              uint64_t *used, stk_error *err);
/* The list as bytes, appended, and back into an empty table: false where they are no list, or
 * memory is short; then the table is empty. */
STK_NODISCARD stk_status stk_cached_list_encode(const stk_cached_table *table, stk_blob *out,
                                                stk_error *err);
bool stk_cached_list_decode(stk_cached_table *table, stk_bytes content, uint64_t *used);
/* Whether or not there is one. */
void stk_cached_list_remove(const char *folder);

#endif
