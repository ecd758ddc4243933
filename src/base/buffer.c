/* Reference-counted bytes. Header and bytes are one allocation: the header takes the first aligned
 * unit, the bytes follow. */
#include "base/checked.h"

#include <stdlib.h>
#include <stoker/buffer.h>

struct stk_buffer {
    stk_ledger *ledger;
    stk_memory  memory;
    size_t      size;
    size_t      reserved;
    uint32_t    references; /* atomic */
};

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
    STK_TRY(stk_ledger_reserve(ledger, memory, total, err));
    stk_buffer *buffer = aligned_alloc(STK_BUFFER_ALIGNMENT, total);
    if (!buffer) {
        stk_ledger_release(ledger, memory, total);
        return stk_fail(err, STK_E_NOMEM, "memory", NULL, "no memory for a buffer of %zu bytes",
                        size);
    }
    *buffer = (stk_buffer){.ledger = stk_ledger_ref(ledger),
                           .memory = memory,
                           .size = size,
                           .reserved = total,
                           .references = 1};
    *out = buffer;
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
    stk_ledger *ledger = buffer->ledger;
    stk_ledger_release(ledger, buffer->memory, buffer->reserved);
    free(buffer);
    stk_ledger_unref(ledger);
}

uint8_t *stk_buffer_data(stk_buffer *buffer)
{
    return (uint8_t *)buffer + STK_BUFFER_ALIGNMENT;
}

size_t stk_buffer_size(const stk_buffer *buffer)
{
    return buffer->size;
}

int stk_buffer_is_unique(const stk_buffer *buffer)
{
    return __atomic_load_n(&buffer->references, __ATOMIC_ACQUIRE) == 1;
}
