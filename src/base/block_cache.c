/* Free blocks by size. */
#include "base/block_cache.h"

#include "base/large.h"

#include <stdlib.h>
#include <string.h>

/* Under a sanitizer every block is freed at once, so that it detects later accesses. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KEEPS false
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define KEEPS false
#endif
#endif
#ifndef KEEPS
#define KEEPS true
#endif

void stk_block_cache_init(stk_block_cache *cache, uint64_t bytes_max)
{
    *cache = (stk_block_cache){.bytes_max = bytes_max};
    pthread_mutex_init(&cache->lock, NULL);
}

void stk_block_cache_release(stk_block_cache *cache)
{
    stk_block_cache_purge(cache);
    pthread_mutex_destroy(&cache->lock);
}

/* Four classes to a power of two: at most a fifth is lost to rounding. */
static size_t step_of(size_t size)
{
    size_t step = STK_BLOCK_CACHE_BYTES_MIN / 4;
    while (step * 8 < size)
        step *= 2;
    return step;
}

/* STK_SPARE_CLASSES where there is none. */
static size_t class_of(size_t size)
{
    size_t power = 0, step = STK_BLOCK_CACHE_BYTES_MIN / 4;
    for (; step * 8 < size; step *= 2)
        power++;
    const size_t class = power * 4 + (size + step - 1) / step - 5;
    return size <= STK_BLOCK_CACHE_BYTES_MIN || class >= STK_SPARE_CLASSES ? STK_SPARE_CLASSES
                                                                           : class;
}

static size_t size_of_class(size_t class)
{
    return ((size_t)STK_BLOCK_CACHE_BYTES_MIN / 4 << class / 4) * (class % 4 + 5);
}

size_t stk_block_cache_round(size_t size)
{
    if (!KEEPS || class_of(size) == STK_SPARE_CLASSES) return size;
    const size_t step = step_of(size);
    return (size + step - 1) / step * step;
}

void *stk_block_cache_acquire(stk_block_cache *cache, size_t size)
{
    const size_t class = class_of(size);
    if (class == STK_SPARE_CLASSES || !__atomic_load_n(&cache->bytes, __ATOMIC_RELAXED))
        return NULL;
    pthread_mutex_lock(&cache->lock);
    void *block = cache->first[class];
    if (block) {
        memcpy(&cache->first[class], block, sizeof block);
        __atomic_fetch_sub(&cache->bytes, size, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&cache->lock);
    return block;
}

bool stk_block_cache_release_block(stk_block_cache *cache, void *block, size_t size)
{
    const size_t class = class_of(size);
    if (!KEEPS || class == STK_SPARE_CLASSES || stk_block_cache_round(size) != size) return false;
    pthread_mutex_lock(&cache->lock);
    const bool keep = cache->bytes + size <= cache->bytes_max;
    if (keep) {
        memcpy(block, &cache->first[class], sizeof block);
        cache->first[class] = block;
        __atomic_fetch_add(&cache->bytes, size, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&cache->lock);
    return keep;
}

void stk_block_cache_purge(stk_block_cache *cache)
{
    void *lists[STK_SPARE_CLASSES];
    pthread_mutex_lock(&cache->lock);
    memcpy(lists, cache->first, sizeof lists);
    memset(cache->first, 0, sizeof cache->first);
    __atomic_store_n(&cache->bytes, 0, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&cache->lock);
    for (size_t i = 0; i < STK_SPARE_CLASSES; i++)
        for (void *block = lists[i], *next; block; block = next) {
            memcpy(&next, block, sizeof next);
            stk_large_free(block, size_of_class(i));
        }
}
