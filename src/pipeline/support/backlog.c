/* A list of results held back by an operator. */
#include "pipeline/support/backlog.h"

#include "pipeline/element/spec.h"
#include "pipeline/runtime/elements.h"

#include <stdlib.h>
#include <stoker/dataset_sources.h>

enum { ELEMENT_BYTES = 80 }; /* an element without values, rounded up by malloc */

void stk_backlog_init(stk_backlog *held, const char *component, stk_ledger *ledger)
{
    *held = (stk_backlog){.component = component, .ledger = ledger};
}

static uint64_t bytes_of(const stk_queue_item *item)
{
    if (!item->element) return item->error ? sizeof *item->error : 0;
    return ELEMENT_BYTES + stk_element_count(item->element) * sizeof(stk_value);
}

static void drop(stk_backlog *held, stk_queue_item *item)
{
    stk_ledger_release(held->ledger, STK_MEMORY_RECORD, bytes_of(item));
    stk_queue_item_clear(item);
}

void stk_backlog_release(stk_backlog *held)
{
    for (size_t i = 0; i < held->count; i++)
        drop(held, &held->items[i]);
    stk_ledger_release(held->ledger, STK_MEMORY_RECORD, held->capacity * sizeof *held->items);
    free(held->items);
    *held = (stk_backlog){0};
}

/* The ledger's message has the sizes; the component names the operator that the user can change. */
static stk_status reserve(stk_backlog *held, uint64_t bytes, stk_error *err)
{
    stk_status st = stk_ledger_reserve(held->ledger, STK_MEMORY_RECORD, bytes, err);
    if (st && err) err->component = held->component;
    return st;
}

static stk_status grow(stk_backlog *held, stk_error *err)
{
    if (held->count < held->capacity) return STK_OK;
    const size_t more = held->capacity ? held->capacity * 2 : 4;
    STK_TRY(reserve(held, (more - held->capacity) * sizeof *held->items, err));
    stk_queue_item *items = realloc(held->items, more * sizeof *items);
    if (!items) {
        stk_ledger_release(held->ledger, STK_MEMORY_RECORD,
                           (more - held->capacity) * sizeof *items);
        return stk_fail(err, STK_E_NOMEM, held->component, NULL, "no memory to hold %zu elements",
                        more);
    }
    held->items = items;
    held->capacity = more;
    return STK_OK;
}

stk_status stk_backlog_push(stk_backlog *held, stk_queue_item *item, stk_error *err)
{
    stk_status st = grow(held, err);
    if (!st) st = reserve(held, bytes_of(item), err);
    if (st) {
        stk_queue_item_clear(item);
        return st;
    }
    held->items[held->count++] = *item;
    *item = (stk_queue_item){0};
    return STK_OK;
}

void stk_backlog_drop(stk_backlog *held, size_t count)
{
    for (size_t i = 0; i < count; i++)
        drop(held, &held->items[i]);
    held->count -= count;
    if (count && held->count)
        memmove(held->items, held->items + count, held->count * sizeof *held->items);
}

stk_status stk_queue_item_tell(const stk_queue_item *item, const char *component, stk_error *err)
{
    if (item->error && err)
        *err = *item->error;
    else if (item->status)
        stk_fail(err, item->status, component, NULL, "%s (no memory was left for its description)",
                 stk_status_name(item->status));
    return item->status;
}

stk_status stk_backlog_dataset(const stk_backlog *held, size_t stride, stk_dataset *like,
                               stk_dataset **out, stk_error *err)
{
    *out = NULL;
    const size_t  max = held->count ? (held->count - 1) / stride + 1 : 0;
    stk_element **elements = malloc((max ? max : 1) * sizeof *elements);
    if (!elements)
        return stk_fail(err, STK_E_NOMEM, held->component, NULL, "no memory for %zu elements", max);
    stk_status st = STK_OK;
    for (size_t i = 0; i < max && !st; i++) {
        st = stk_queue_item_tell(&held->items[i * stride], held->component, err);
        elements[i] = held->items[i * stride].element;
    }
    if (!st) st = stk_elements_like(out, elements, max, like, err);
    free(elements);
    return st;
}

stk_status stk_queue_item_save(const stk_queue_item *item, stk_state_out *out, stk_error *err)
{
    STK_TRY(stk_state_put_u64(out, (uint64_t)item->status, err));
    if (!item->status) return stk_state_put_element(out, item->element, err);
    stk_error told;
    stk_queue_item_tell(item, "pipeline", &told);
    STK_TRY(stk_state_put_bytes(out, stk_bytes_text(told.where), err));
    return stk_state_put_bytes(out, stk_bytes_text(told.message), err);
}

static void copy_text(char *to, size_t capacity, stk_bytes text)
{
    const size_t size = text.size < capacity ? text.size : capacity - 1;
    memcpy(to, text.data, size);
    to[size] = 0;
}

stk_status stk_queue_item_restore(stk_queue_item *item, const stk_element_spec *spec,
                                  stk_state_in *in, stk_error *err)
{
    uint64_t  status;
    stk_bytes where, message;
    stk_error told = {.component = in->component};
    *item = (stk_queue_item){0};
    STK_TRY(stk_state_get_count(in, STK_STATUS_COUNT - 1, &status, err));
    if (status) {
        STK_TRY(stk_state_get_bytes(in, &where, err));
        STK_TRY(stk_state_get_bytes(in, &message, err));
        told.status = (stk_status)status;
        copy_text(told.where, sizeof told.where, where);
        copy_text(told.message, sizeof told.message, message);
        stk_queue_item_fail(item, &told);
        return STK_OK;
    }
    STK_TRY(stk_state_get_element(in, &item->element, err));
    if (!item->element) return stk_state_damaged(in, "an element is missing", err);
    if (!stk_spec_check(spec, item->element, in->component, &told)) return STK_OK;
    stk_queue_item_clear(item);
    return stk_state_damaged(in, told.message, err);
}

stk_status stk_backlog_save(const stk_backlog *held, stk_state_out *out, stk_error *err)
{
    STK_TRY(stk_state_put_u64(out, held->count, err));
    for (size_t i = 0; i < held->count; i++)
        STK_TRY(stk_queue_item_save(&held->items[i], out, err));
    return STK_OK;
}

/* Grows item by item, so that a damaged count costs nothing. */
stk_status stk_backlog_restore(stk_backlog *held, const stk_element_spec *spec, stk_state_in *in,
                               stk_error *err)
{
    uint64_t count;
    STK_TRY(stk_state_get_count(in, in->left.size, &count, err));
    for (uint64_t i = 0; i < count; i++) {
        stk_queue_item item;
        STK_TRY(stk_queue_item_restore(&item, spec, in, err));
        STK_TRY(stk_backlog_push(held, &item, err));
    }
    return STK_OK;
}
