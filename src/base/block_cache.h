/* A cache of freed large blocks, reused for allocations of the same size. Memory returned to the
 * kernel is unmapped on every core and comes back page by page, cleared: for blocks of 100 KB that
 * live for a millisecond, on many cores, that costs more than using them. */
#ifndef STK_BASE_BLOCK_CACHE_H
#define STK_BASE_BLOCK_CACHE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    STK_BLOCK_CACHE_BYTES_MIN = 32 << 10, /* smaller blocks are left to malloc */
    STK_SPARE_CLASSES = 48                /* four to a power of two, up to 128 MB */
};

typedef struct stk_block_cache {
    pthread_mutex_t lock;
    void           *first[STK_SPARE_CLASSES]; /* each block begins with the next one's address */
    uint64_t        bytes;                    /* atomic: of all */
    uint64_t        bytes_max;                /* max bytes kept */
} stk_block_cache;

void stk_block_cache_init(stk_block_cache *cache, uint64_t bytes_max);
void stk_block_cache_release(stk_block_cache *cache);

/* Rounds size up to a size class; size itself if blocks of it are not cached. */
size_t stk_block_cache_round(size_t size);
/* Removes a block of exactly this (rounded) size from the cache; NULL: none. */
void *stk_block_cache_acquire(stk_block_cache *cache, size_t size);
/* Caches a block of this (rounded) size, made by stk_large_new; false: the caller frees it. */
bool stk_block_cache_release_block(stk_block_cache *cache, void *block, size_t size);
/* Frees all. */
void stk_block_cache_purge(stk_block_cache *cache);

#endif
