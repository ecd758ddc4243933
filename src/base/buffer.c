/* Reference-counted bytes. Header and bytes are one allocation: the header takes the first aligned
 * unit, the bytes follow. Only bytes of a special kind lie elsewhere. */
#include "base/buffer_adopt.h"
#include "base/checked.h"
#include "base/large.h"
#include "base/ledger_block_cache.h"

#include <stdlib.h>
#include <stoker/buffer.h>

struct stk_buffer {
    stk_ledger *ledger;
    stk_memory  memory;
    uint32_t    references; /* atomic */
    size_t      size;
    size_t      reserved;
    uint8_t    *data;
    /* Of a special kind; NULL: the bytes are part of this allocation. */
    void (*free)(void *context, void *data, size_t size);
    void *context;
};

_Static_assert((int)STK_BUFFER_ALIGNMENT <= (int)STK_LARGE_ALIGNMENT, "blocks are aligned enough");
_Static_assert(sizeof(stk_buffer) <= STK_BUFFER_ALIGNMENT, "the header fits before the bytes");

stk_status stk_buffer_new(stk_buffer **out, stk_ledger *ledger, stk_memory memory, size_t size,
                          stk_error *err)
{
    *out = NULL;
    size_t total; /* header, bytes, and up to one unit so that the size is a multiple of it */
    if (stk_add_overflows(size, 2 * STK_BUFFER_ALIGNMENT - 1, &total))
        return stk_fail(err, STK_E_LIMIT, "memory", NULL, "a buffer of %zu bytes is too large",
                        size);
    total &= ~(size_t)(STK_BUFFER_ALIGNMENT - 1);
    stk_block_cache *cache = stk_ledger_spares(ledger);
    if (cache) total = stk_block_cache_round(total);
    stk_buffer      *buffer = cache ? stk_block_cache_acquire(cache, total) : NULL;
    const stk_status st = stk_ledger_reserve(ledger, memory, total, err);
    if (st) {
        stk_large_free(buffer, total);
        return st;
    }
    if (!buffer) buffer = stk_large_new(total);
    if (!buffer) {
        stk_ledger_release(ledger, memory, total);
        return stk_fail(err, STK_E_NOMEM, "memory", NULL, "no memory for a buffer of %zu bytes",
                        size);
    }
    *buffer = (stk_buffer){.ledger = stk_ledger_ref(ledger),
                           .memory = memory,
                           .size = size,
                           .reserved = total,
                           .data = (uint8_t *)buffer + STK_BUFFER_ALIGNMENT,
                           .references = 1};
    *out = buffer;
    return STK_OK;
}

stk_status stk_buffer_new_with(stk_buffer **out, const stk_allocator *kind, stk_ledger *ledger,
                               stk_memory memory, size_t size, stk_error *err)
{
    *out = NULL;
    STK_TRY(stk_ledger_reserve(ledger, memory, size, err));
    stk_buffer *buffer = calloc(1, sizeof *buffer);
    void       *data = buffer ? kind->alloc(kind->context, size) : NULL;
    if (!data) {
        free(buffer);
        stk_ledger_release(ledger, memory, size);
        return stk_fail(err, STK_E_NOMEM, "memory", NULL,
                        "no memory of the kind that was asked for: %zu bytes", size);
    }
    *buffer = (stk_buffer){.ledger = stk_ledger_ref(ledger),
                           .memory = memory,
                           .size = size,
                           .reserved = size,
                           .data = data,
                           .free = kind->free,
                           .context = kind->context,
                           .references = 1};
    *out = buffer;
    return STK_OK;
}

static void give_large(void *context, void *data, size_t size)
{
    (void)context;
    stk_large_free(data, size);
}

static void give_plain(void *context, void *data, size_t size)
{
    (void)context;
    (void)size;
    free(data);
}

/* Blobs without a ledger are malloc's: blob.c. */
stk_status stk_buffer_adopt(stk_buffer **out, stk_blob *blob, stk_error *err)
{
    stk_buffer *buffer = *out = calloc(1, sizeof *buffer);
    if (!buffer) return stk_fail(err, STK_E_NOMEM, "memory", NULL, "no memory for a buffer");
    *buffer = (stk_buffer){.ledger = stk_ledger_ref(blob->ledger),
                           .memory = blob->memory,
                           .size = blob->capacity,
                           .reserved = blob->capacity,
                           .data = blob->data,
                           .free = blob->ledger ? give_large : give_plain,
                           .references = 1};
    stk_blob_init(blob, blob->ledger, blob->memory);
    return STK_OK;
}

stk_buffer *stk_buffer_ref(stk_buffer *buffer)
{
    __atomic_fetch_add(&buffer->references, 1, __ATOMIC_RELAXED);
    return buffer;
}

void stk_buffer_unref(stk_buffer *buffer)
{
    if (!buffer || __atomic_sub_fetch(&buffer->references, 1, __ATOMIC_ACQ_REL)) return;
    stk_ledger      *ledger = buffer->ledger;
    const stk_memory memory = buffer->memory;
    const size_t     reserved = buffer->reserved;
    const bool       external = buffer->free != NULL; /* the bytes lie elsewhere */
    if (buffer->free) buffer->free(buffer->context, buffer->data, reserved);
    const bool keep = !external && ledger &&
                      stk_block_cache_release_block(stk_ledger_spares(ledger), buffer, reserved);
    if (!keep && external)
        free(buffer);
    else if (!keep)
        stk_large_free(buffer, reserved);
    stk_ledger_release(ledger, memory, reserved);
    stk_ledger_unref(ledger);
}

uint8_t *stk_buffer_data(stk_buffer *buffer)
{
    return buffer->data;
}

size_t stk_buffer_size(const stk_buffer *buffer)
{
    return buffer->size;
}

int stk_buffer_is_unique(const stk_buffer *buffer)
{
    return __atomic_load_n(&buffer->references, __ATOMIC_ACQUIRE) == 1;
}
