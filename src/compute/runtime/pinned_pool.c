/* Pool of pinned host buffers. Pinning costs more than filling, so freed buffers stay pinned. Image
 * sizes change in progressive training: a new size evicts a buffer of another once the pool is half
 * full. */
#include "compute/runtime/pinned_pool.h"
#include <pthread.h>
#include <stdlib.h>

enum { BLOCKS = 64 };

typedef struct block {
    void  *data;
    size_t size;
} block;

struct stk_pinned_pool {
    stk_device     *device;
    stk_allocator   allocator;
    pthread_mutex_t lock; /* guards the fields below; batches are built on all threads */
    block           free_blocks[BLOCKS];
    size_t          free_count;
};

static void *pop_free(stk_pinned_pool *pool, size_t size)
{
    for (size_t i = 0; i < pool->free_count; i++) {
        if (pool->free_blocks[i].size != size) continue;
        void *data = pool->free_blocks[i].data;
        pool->free_blocks[i] = pool->free_blocks[--pool->free_count];
        return data;
    }
    return NULL;
}

static block evict_other(stk_pinned_pool *pool, size_t size)
{
    for (size_t i = 0; i < pool->free_count; i++) {
        if (pool->free_blocks[i].size == size) continue;
        block evicted = pool->free_blocks[i];
        pool->free_blocks[i] = pool->free_blocks[--pool->free_count];
        return evicted;
    }
    return (block){0};
}

static void *alloc(void *context, size_t size)
{
    stk_pinned_pool   *pool = context;
    const stk_backend *backend = pool->device->backend;
    block              evicted = {0};
    pthread_mutex_lock(&pool->lock);
    void *data = pop_free(pool, size);
    if (!data && pool->free_count > BLOCKS / 2) evicted = evict_other(pool, size);
    pthread_mutex_unlock(&pool->lock);
    if (evicted.data) backend->host_free(pool->device, evicted.data, evicted.size);
    return data ? data : backend->host_alloc(pool->device, size);
}

static void release(void *context, void *data, size_t size)
{
    stk_pinned_pool *pool = context;
    pthread_mutex_lock(&pool->lock);
    bool kept = pool->free_count < BLOCKS;
    if (kept) pool->free_blocks[pool->free_count++] = (block){data, size};
    pthread_mutex_unlock(&pool->lock);
    if (!kept) pool->device->backend->host_free(pool->device, data, size);
}

const stk_allocator *stk_device_host_memory(stk_device *device)
{
    stk_pinned_pool *pool = device->pinned_pool;
    if (pool || !device->backend->host_alloc) return pool ? &pool->allocator : NULL;
    pool = calloc(1, sizeof *pool);
    if (!pool) return NULL; /* pageable memory is slower but works */
    pool->device = device;
    pool->allocator = (stk_allocator){alloc, release, pool};
    pthread_mutex_init(&pool->lock, NULL);
    device->pinned_pool = pool;
    return &pool->allocator;
}

void stk_pinned_pool_free(stk_pinned_pool *pool)
{
    if (!pool) return;
    for (size_t i = 0; i < pool->free_count; i++)
        pool->device->backend->host_free(pool->device, pool->free_blocks[i].data,
                                         pool->free_blocks[i].size);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}
