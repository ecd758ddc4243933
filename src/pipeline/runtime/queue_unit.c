/* Items and units of a queue. */
#include "pipeline/runtime/queue_internal.h"

#include <stdlib.h>

void stk_queue_item_clear(stk_queue_item *item)
{
    stk_element_unref(item->element);
    free(item->error);
    *item = (stk_queue_item){0};
}

void stk_queue_item_fail(stk_queue_item *item, const stk_error *err)
{
    stk_queue_item_clear(item);
    item->status = err->status;
    item->error = malloc(sizeof *item->error);
    if (item->error) *item->error = *err;
}

void stk_queue_unit_free(stk_queue_unit *one)
{
    if (!one) return;
    for (size_t i = 0; i < one->shared.count; i++)
        stk_queue_item_clear(&one->shared.items[i]);
    stk_element_unref(one->shared.result);
    free(one->shared.items);
    free(one);
}

bool stk_queue_unit_grow(stk_queue_unit *one)
{
    if (one->shared.count < one->capacity) return true;
    const size_t    more = one->capacity ? one->capacity * 2 : 1;
    stk_queue_item *items =
        more <= SIZE_MAX / sizeof *items ? realloc(one->shared.items, more * sizeof *items) : NULL;
    if (!items) return false;
    one->shared.items = items;
    one->capacity = more;
    return true;
}

/* The ledger has the storage of values already; queues of small elements hold mostly the element
 * structs. At the ceiling they are admitted: they exist, and pulling stopped before. In serial mode
 * there is one unit at a time, and whether it fits does not depend on them. */
void stk_queue_unit_reserve(stk_node_queue *queue, stk_queue_unit *one)
{
    stk_queue_unit_unreserve(queue, one);
    if (stk_run_is_serial(queue->run)) return;
    uint64_t bytes = one->capacity * sizeof *one->shared.items;
    for (size_t i = 0; i < one->shared.count; i++)
        if (one->shared.items[i].element)
            bytes += stk_element_own_bytes(one->shared.items[i].element);
    stk_error unasked;
    one->reserved = stk_ledger_reserve(stk_node_queue_run_options(queue)->ledger, STK_MEMORY_BATCH,
                                       bytes, &unasked)
                        ? 0
                        : bytes;
}

void stk_queue_unit_unreserve(stk_node_queue *queue, stk_queue_unit *one)
{
    stk_ledger_release(stk_node_queue_run_options(queue)->ledger, STK_MEMORY_BATCH, one->reserved);
    one->reserved = 0;
}

/* As much again as there is, each time the number has doubled: few looks at the ledger. */
stk_status stk_queue_unit_reserve_ahead(stk_node_queue *queue, stk_queue_unit *one, stk_error *err)
{
    enum { SMALL = 1024 };
    const size_t count = one->shared.count;
    if (count < SMALL || (count & (count - 1)) != 0) return STK_OK;
    const stk_queue_item *last = &one->shared.items[count - 1];
    const size_t          each =
        2 * sizeof *last + (last->element ? stk_element_own_bytes(last->element) : 0);
    STK_TRY(stk_ledger_reserve(stk_node_queue_run_options(queue)->ledger, STK_MEMORY_BATCH,
                               count * each, err));
    one->reserved += count * each;
    return STK_OK;
}

void stk_queue_unit_fail(stk_queue_unit *one, const stk_error *err)
{
    for (size_t i = 0; i < one->shared.count; i++)
        stk_queue_item_clear(&one->shared.items[i]);
    stk_queue_item_fail(&one->shared.items[one->shared.count - 1], err);
}
