/* Pinning a page takes longer than filling it, so blocks that were given back stay pinned for the
 * next batch. Batches come in few sizes, but those change while images grow: where a new size is
 * asked for and much is kept, a block of another goes. */
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
    stk_allocator   kind;
    pthread_mutex_t lock; /* of what follows: batches are made on all threads */
    block           spare[BLOCKS];
    size_t          spare_count;
};

static void *take_spare(stk_pinned_pool *l, size_t size)
{
    for (size_t i = 0; i < l->spare_count; i++) {
        if (l->spare[i].size != size) continue;
        void *data = l->spare[i].data;
        l->spare[i] = l->spare[--l->spare_count];
        return data;
    }
    return NULL;
}

static block drop_spare(stk_pinned_pool *l, size_t size)
{
    for (size_t i = 0; i < l->spare_count; i++) {
        if (l->spare[i].size == size) continue;
        block dropped = l->spare[i];
        l->spare[i] = l->spare[--l->spare_count];
        return dropped;
    }
    return (block){0};
}

static void *take(void *context, size_t size)
{
    stk_pinned_pool   *l = context;
    const stk_backend *backend = l->device->backend;
    block              dropped = {0};
    pthread_mutex_lock(&l->lock);
    void *data = take_spare(l, size);
    if (!data && l->spare_count > BLOCKS / 2) dropped = drop_spare(l, size);
    pthread_mutex_unlock(&l->lock);
    if (dropped.data) backend->host_free(l->device, dropped.data, dropped.size);
    return data ? data : backend->host_alloc(l->device, size);
}

static void give(void *context, void *data, size_t size)
{
    stk_pinned_pool *l = context;
    pthread_mutex_lock(&l->lock);
    bool kept = l->spare_count < BLOCKS;
    if (kept) l->spare[l->spare_count++] = (block){data, size};
    pthread_mutex_unlock(&l->lock);
    if (!kept) l->device->backend->host_free(l->device, data, size);
}

const stk_allocator *stk_device_host_memory(stk_device *device)
{
    stk_pinned_pool *l = device->lendable;
    if (l || !device->backend->host_alloc) return l ? &l->kind : NULL;
    l = calloc(1, sizeof *l);
    if (!l) return NULL; /* ordinary memory is slower and does as well */
    l->device = device;
    l->kind = (stk_allocator){take, give, l};
    pthread_mutex_init(&l->lock, NULL);
    device->lendable = l;
    return &l->kind;
}

void stk_pinned_pool_free(stk_pinned_pool *lendable)
{
    if (!lendable) return;
    for (size_t i = 0; i < lendable->spare_count; i++)
        lendable->device->backend->host_free(lendable->device, lendable->spare[i].data,
                                             lendable->spare[i].size);
    pthread_mutex_destroy(&lendable->lock);
    free(lendable);
}
