/* Elements: one allocation each, reference-counted. */
#include "base/checked.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoker/element.h>

struct stk_element {
    uint32_t   references; /* atomic */
    uint32_t   count;
    stk_origin from;
    stk_value  values[];
};

enum { VALUES_MAX = 4096 };

stk_status stk_element_new(stk_element **out, size_t count, stk_error *err)
{
    *out = NULL;
    if (count > VALUES_MAX)
        return stk_fail(err, STK_E_LIMIT, "pipeline", NULL,
                        "an element of %zu values; at most %d are possible", count, VALUES_MAX);
    const size_t bytes = sizeof(stk_element) + count * sizeof(stk_value);
    stk_element *element = malloc(bytes);
    if (!element) return stk_fail(err, STK_E_NOMEM, "pipeline", NULL, "no memory for an element");
    memset(element, 0, bytes);
    element->references = 1;
    element->count = (uint32_t)count;
    *out = element;
    return STK_OK;
}

/* Every element is made by stk_element_new, so none is const itself. */
stk_element *stk_element_ref(const stk_element *element)
{
    stk_element *counted = (stk_element *)element;
    __atomic_fetch_add(&counted->references, 1, __ATOMIC_RELAXED);
    return counted;
}

static bool is_unique(const stk_element *element)
{
    return __atomic_load_n(&element->references, __ATOMIC_ACQUIRE) == 1;
}

void stk_element_unref(stk_element *element)
{
    if (!element) return;
    /* The only holder needs no atomic write. */
    if (!is_unique(element) && __atomic_sub_fetch(&element->references, 1, __ATOMIC_ACQ_REL))
        return;
    for (uint32_t i = 0; i < element->count; i++)
        stk_value_release(&element->values[i]);
    stk_buffer_unref(element->from.file);
    free(element);
}

size_t stk_element_count(const stk_element *element)
{
    return element->count;
}

const stk_value *stk_element_value(const stk_element *element, size_t index)
{
    return &element->values[index];
}

stk_value *stk_element_edit(stk_element *element, size_t index)
{
    return &element->values[index];
}

const stk_origin *stk_element_origin(const stk_element *element)
{
    return &element->from;
}

char *stk_element_where(const stk_element *element, char *text, int capacity)
{
    const stk_origin *from = &element->from;
    if (from->file)
        snprintf(text, (size_t)capacity, "%.*s: record %" PRIu64 " at byte %" PRIu64,
                 (int)stk_buffer_size(from->file), (const char *)stk_buffer_data(from->file),
                 from->record, from->offset);
    else
        snprintf(text, (size_t)capacity, "element %" PRIu64 " of epoch %" PRIu64, from->index,
                 from->epoch);
    return text;
}

void stk_element_set_origin(stk_element *element, const stk_origin *origin)
{
    if (origin->file) stk_buffer_ref(origin->file);
    stk_buffer_unref(element->from.file);
    element->from = *origin;
}

stk_status stk_element_make_unique(stk_element **element, stk_error *err)
{
    stk_element *old = *element;
    if (is_unique(old)) return STK_OK;
    stk_element *copy;
    STK_TRY(stk_element_new(&copy, old->count, err));
    stk_element_set_origin(copy, &old->from);
    for (uint32_t i = 0; i < old->count; i++)
        copy->values[i] = stk_value_ref(&old->values[i]);
    stk_element_unref(old);
    *element = copy;
    return STK_OK;
}

size_t stk_element_own_bytes(const stk_element *element)
{
    return sizeof *element + element->count * sizeof(stk_value);
}

size_t stk_element_bytes(const stk_element *element)
{
    size_t bytes = stk_element_own_bytes(element);
    for (uint32_t i = 0; i < element->count; i++) {
        const stk_value *value = &element->values[i];
        if (value->storage && value->kind == STK_VALUE_DENSE && value->dtype == STK_DTYPE_BYTES &&
            value->shape.rank == 0)
            bytes += value->small.view.size;
        else if (value->storage)
            bytes += stk_buffer_size(value->storage);
    }
    return bytes;
}

bool stk_element_equal(const stk_element *a, const stk_element *b)
{
    if (a->count != b->count) return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!stk_value_equal(&a->values[i], &b->values[i])) return false;
    return true;
}
