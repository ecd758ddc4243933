/* Large blocks of memory that are free and kept for the next who wants one of their size. Memory
 * that goes back to the kernel is unmapped on every core and comes back a page at a time, cleared:
 * for blocks of 100 KB that live for a millisecond, on many cores, that costs more than what is
 * done with them. */
#ifndef STK_BASE_BLOCK_CACHE_H
#define STK_BASE_BLOCK_CACHE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    STK_BLOCK_CACHE_BYTES_MIN = 32 << 10, /* smaller blocks are malloc's business */
    STK_SPARE_CLASSES = 48                /* four to a power of two, up to 128 MB */
};

typedef struct stk_block_cache {
    pthread_mutex_t lock;
    void           *first[STK_SPARE_CLASSES]; /* each block begins with the next one's place */
    uint64_t        bytes;                    /* atomic: of all */
    uint64_t        bytes_max;                /* to be kept */
} stk_block_cache;

void stk_block_cache_init(stk_block_cache *cache, uint64_t bytes_max);
void stk_block_cache_release(stk_block_cache *cache);

/* size, rounded up to what blocks are kept by; size itself where they are not kept. */
size_t stk_block_cache_round(size_t size);
/* A block of exactly this (rounded) size; NULL: there is none. */
void *stk_block_cache_acquire(stk_block_cache *cache, size_t size);
/* Keeps a block of this (rounded) size, made by stk_large_new; false: it is the caller's to free.
 */
bool stk_block_cache_release_block(stk_block_cache *cache, void *block, size_t size);
/* Frees all. */
void stk_block_cache_purge(stk_block_cache *cache);

#endif
