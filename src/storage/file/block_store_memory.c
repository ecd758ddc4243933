/* Blocks in memory. None goes before the store does, so that readers need no count. */
#include "storage/file/block_store.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct piece {
    struct piece *next;
    size_t        size;
    _Alignas(64) uint8_t data[];
} piece;

typedef struct store {
    stk_block_store base;
    stk_ledger     *ledger;
    uint64_t        limit;
    uint64_t        held; /* atomic: with what is being filled */
    pthread_mutex_t lock; /* of the list */
    piece          *kept;
} store;

static piece *piece_of(void *space)
{
    return (piece *)(void *)((uint8_t *)space - offsetof(piece, data));
}

static void release_bytes(store *s, size_t size)
{
    const uint64_t bytes = sizeof(piece) + size;
    __atomic_fetch_sub(&s->held, bytes, __ATOMIC_RELAXED);
    stk_ledger_release(s->ledger, STK_MEMORY_CACHE, bytes);
}

static void *begin(stk_block_store *base, size_t size)
{
    store         *s = (store *)base;
    const uint64_t bytes = sizeof(piece) + size;
    if (__atomic_add_fetch(&s->held, bytes, __ATOMIC_RELAXED) > s->limit ||
        stk_ledger_reserve(s->ledger, STK_MEMORY_CACHE, bytes, NULL)) {
        __atomic_fetch_sub(&s->held, bytes, __ATOMIC_RELAXED);
        return NULL;
    }
    piece *made = aligned_alloc(64, (sizeof(piece) + size + 63) / 64 * 64);
    if (!made) {
        release_bytes(s, size);
        return NULL;
    }
    made->size = size;
    return made->data;
}

static void drop(stk_block_store *base, void *space, size_t size)
{
    free(piece_of(space));
    release_bytes((store *)base, size);
}

static stk_status keep(stk_block_store *base, void *space, size_t size, uint64_t *at,
                       stk_error *err)
{
    (void)size, (void)err;
    store *s = (store *)base;
    piece *made = piece_of(space);
    pthread_mutex_lock(&s->lock);
    made->next = s->kept;
    s->kept = made;
    pthread_mutex_unlock(&s->lock);
    *at = (uint64_t)(uintptr_t)space;
    return STK_OK;
}

static stk_status get(stk_block_store *base, uint64_t at, void *dst, size_t size, stk_error *err)
{
    (void)base, (void)err;
    memcpy(dst, (const void *)(uintptr_t)at, size);
    return STK_OK;
}

static void free_store(stk_block_store *base)
{
    store *s = (store *)base;
    for (piece *one = s->kept, *next; one; one = next) {
        next = one->next;
        release_bytes(s, one->size);
        free(one);
    }
    stk_ledger_unref(s->ledger);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

stk_status stk_block_store_memory(stk_block_store **out, stk_ledger *ledger, uint64_t limit,
                                  stk_error *err)
{
    static const stk_block_store_ops ops = {begin, keep, drop, get, free_store};
    store                           *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s) return stk_fail(err, STK_E_NOMEM, "cache", NULL, "no memory for a cache");
    s->base.ops = &ops;
    s->ledger = stk_ledger_ref(ledger);
    s->limit = limit;
    pthread_mutex_init(&s->lock, NULL);
    *out = &s->base;
    return STK_OK;
}
