/* The table of a cache of files. */
#include "storage/file/cached_table.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

enum { INITIAL_CAPACITY = 64 };

static size_t bucket_of(const stk_cached_table *table, const char *path)
{
    return (size_t)stk_hash64(1, path, strlen(path)) & (table->capacity - 1);
}

stk_cached_entry *stk_cached_table_find(const stk_cached_table *table, const char *path)
{
    if (!table->capacity) return NULL;
    stk_cached_entry *entry = table->buckets[bucket_of(table, path)];
    while (entry && strcmp(entry->path, path) != 0)
        entry = entry->next;
    return entry;
}

static bool reserve(stk_cached_table *table, uint64_t bytes)
{
    if (stk_ledger_reserve(table->ledger, STK_MEMORY_CACHE, bytes, NULL)) return false;
    table->reserved += bytes;
    return true;
}

static void release_bytes(stk_cached_table *table, uint64_t bytes)
{
    stk_ledger_release(table->ledger, STK_MEMORY_CACHE, bytes);
    table->reserved -= bytes;
}

static void put(stk_cached_table *table, stk_cached_entry *entry)
{
    stk_cached_entry **bucket = &table->buckets[bucket_of(table, entry->path)];
    entry->next = *bucket;
    *bucket = entry;
}

static bool grow(stk_cached_table *table)
{
    const size_t       more = table->capacity ? table->capacity * 2 : INITIAL_CAPACITY;
    stk_cached_table   old = *table;
    stk_cached_entry **buckets = NULL;
    if (!reserve(table, (more - old.capacity) * sizeof *buckets)) return false;
    buckets = calloc(more, sizeof(stk_cached_entry *));
    if (!buckets) {
        release_bytes(table, (more - old.capacity) * sizeof *buckets);
        return false;
    }
    table->buckets = buckets;
    table->capacity = more;
    for (size_t i = 0; i < old.capacity; i++)
        for (stk_cached_entry *entry = old.buckets[i], *next; entry; entry = next) {
            next = entry->next;
            put(table, entry);
        }
    free(old.buckets);
    return true;
}

static void take_out(stk_cached_table *table, const char *path)
{
    stk_cached_entry **at = &table->buckets[bucket_of(table, path)];
    while (*at && strcmp((*at)->path, path) != 0)
        at = &(*at)->next;
    if (!*at) return;
    stk_cached_entry *entry = *at;
    *at = entry->next;
    release_bytes(table, entry->bytes);
    free(entry);
    table->count--;
}

stk_cached_entry *stk_cached_table_add(stk_cached_table *table, const char *path,
                                       const stk_file_info *info)
{
    const uint64_t blocks = (info->bytes + STK_CACHED_BLOCK - 1) / STK_CACHED_BLOCK;
    const size_t   length = strlen(path) + 1;
    const uint64_t bytes = sizeof(stk_cached_entry) + blocks * sizeof(stk_cached_block) + length;
    if (blocks > SIZE_MAX / 2 / sizeof(stk_cached_block)) return NULL;
    if (table->count >= table->capacity && !grow(table)) return NULL;
    if (!reserve(table, bytes)) return NULL;
    stk_cached_entry *entry = calloc(1, (size_t)bytes);
    if (!entry) {
        release_bytes(table, bytes);
        return NULL;
    }
    take_out(table, path);
    char *name = (char *)(entry->blocks + blocks);
    memcpy(name, path, length);
    entry->path = name;
    entry->info = *info;
    entry->bytes = bytes;
    entry->count = (size_t)blocks;
    put(table, entry);
    table->count++;
    return entry;
}

void stk_cached_table_release(stk_cached_table *table)
{
    for (size_t i = 0; i < table->capacity; i++)
        for (stk_cached_entry *entry = table->buckets[i], *next; entry; entry = next) {
            next = entry->next;
            free(entry);
        }
    free(table->buckets);
    stk_ledger_release(table->ledger, STK_MEMORY_CACHE, table->reserved);
    *table = (stk_cached_table){.ledger = table->ledger};
}

size_t stk_cached_block_bytes(const stk_cached_entry *entry, size_t index)
{
    const uint64_t left = entry->info.bytes - (uint64_t)index * STK_CACHED_BLOCK;
    return left < STK_CACHED_BLOCK ? (size_t)left : STK_CACHED_BLOCK;
}
