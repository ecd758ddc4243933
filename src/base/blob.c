/* A growing run of bytes. */
#include "base/checked.h"
#include "base/large.h"

#include <stdlib.h>
#include <stoker/blob.h>

void stk_blob_init(stk_blob *blob, stk_ledger *ledger, stk_memory memory)
{
    *blob = (stk_blob){.ledger = ledger, .memory = memory};
}

/* Memory without a ledger is malloc's: the bytes may be handed to another owner, who frees them. */
static uint8_t *resize(const stk_blob *blob, size_t capacity)
{
    return blob->ledger ? stk_large_resize(blob->data, blob->capacity, capacity)
                        : realloc(blob->data, capacity);
}

void stk_blob_release(stk_blob *blob)
{
    if (blob->ledger)
        stk_large_free(blob->data, blob->capacity);
    else
        free(blob->data);
    stk_ledger_release(blob->ledger, blob->memory, blob->capacity);
    stk_blob_init(blob, blob->ledger, blob->memory);
}

stk_status stk_blob_reserve_exact(stk_blob *blob, size_t capacity, stk_error *err)
{
    if (capacity <= blob->capacity) return STK_OK;
    /* Only the growth is reserved. While realloc moves the bytes both copies exist for a moment;
     * counting both would refuse a buffer of more than half the ceiling. */
    const size_t more = capacity - blob->capacity;
    STK_TRY(stk_ledger_reserve(blob->ledger, blob->memory, more, err));
    uint8_t *data = resize(blob, capacity);
    if (!data) {
        stk_ledger_release(blob->ledger, blob->memory, more);
        return stk_fail(err, STK_E_NOMEM, "memory", NULL, "no memory for %zu bytes", capacity);
    }
    blob->data = data;
    blob->capacity = capacity;
    return STK_OK;
}

stk_status stk_blob_reserve(stk_blob *blob, size_t capacity, stk_error *err)
{
    if (capacity <= blob->capacity) return STK_OK;
    size_t grown;
    if (stk_add_overflows(blob->capacity, blob->capacity / 2, &grown) || grown < capacity)
        grown = capacity;
    if (grown < 64) grown = 64;
    const stk_status st = stk_blob_reserve_exact(blob, grown, err);
    /* Geometric growth is optional: the needed size may still fit below the ceiling. */
    return st == STK_E_CEILING ? stk_blob_reserve_exact(blob, capacity, err) : st;
}

stk_status stk_blob_append(stk_blob *blob, const void *data, size_t size, stk_error *err)
{
    size_t end;
    if (stk_add_overflows(blob->size, size, &end))
        return stk_fail(err, STK_E_LIMIT, "memory", NULL, "%zu + %zu bytes do not fit in memory",
                        blob->size, size);
    STK_TRY(stk_blob_reserve(blob, end, err));
    if (size) memcpy(blob->data + blob->size, data, size);
    blob->size = end;
    return STK_OK;
}
