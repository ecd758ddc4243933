/* Copies small elements out of large storage. A shuffle buffer returns elements in random order:
 * some record of every block stays to the end and would keep its block alive. With 256 KiB blocks
 * of 1 KiB records that is several times the buffer's own size. */
#include "pipeline/support/compact.h"

#include "pipeline/element/ragged.h"

enum {
    STORAGE_MIN = 1024, /* below it a copy saves nothing */
    WASTE_MAX = 4       /* times what is used */
};

static size_t data_bytes(const stk_value *value, int64_t count)
{
    size_t bytes = (size_t)count * stk_dtype_bytes(value->dtype);
    if (value->dtype != STK_DTYPE_BYTES) return bytes;
    const stk_bytes *strings = stk_value_data(value);
    for (int64_t i = 0; i < count; i++)
        bytes += strings[i].size;
    return bytes;
}

/* The bytes of its storage that a value uses. */
static size_t used_bytes(const stk_value *value)
{
    if (value->kind == STK_VALUE_DATASET) return 0;
    const bool sparse = value->kind == STK_VALUE_SPARSE;
    return data_bytes(value, sparse ? value->count : stk_value_elements(value)) +
           stk_value_index_count(value) * sizeof *value->splits_or_indices;
}

/* Several values may be views of one record: they are weighed together. */
static bool wastes(const stk_element *element, size_t index)
{
    const stk_value *value = stk_element_value(element, index);
    if (!value->storage) return false;
    const size_t held = stk_buffer_size(value->storage);
    if (held <= STORAGE_MIN) return false;
    size_t used = used_bytes(value);
    for (size_t i = 0; i < stk_element_count(element) && used <= held / WASTE_MAX; i++)
        if (i != index && stk_element_value(element, i)->storage == value->storage)
            used += used_bytes(stk_element_value(element, i));
    return used < held / WASTE_MAX;
}

static stk_status copy_plain(const stk_value *value, stk_value *out, stk_ledger *ledger,
                             stk_memory memory, stk_error *err)
{
    const bool   text = value->dtype == STK_DTYPE_BYTES; /* of rank 0 */
    const size_t bytes = text ? value->small.view.size
                              : (size_t)stk_value_elements(value) * stk_dtype_bytes(value->dtype);
    *out = *value;
    out->storage = NULL;
    out->data = NULL;
    const void *from = text ? value->small.view.data : stk_value_data(value);
    if (text && !bytes) {
        out->small.view = stk_bytes_of("", 0);
        return STK_OK;
    }
    if (!text && bytes <= STK_VALUE_SMALL) {
        memcpy(out->small.bytes, from, bytes);
        return STK_OK;
    }
    STK_TRY(stk_buffer_new(&out->storage, ledger, memory, bytes, err));
    void *to = stk_buffer_data(out->storage);
    memcpy(to, from, bytes);
    if (text)
        out->small.view = stk_bytes_of(to, bytes);
    else
        out->data = to;
    return STK_OK;
}

static stk_status copy_value(const stk_value *value, stk_value *out, stk_ledger *ledger,
                             stk_memory memory, stk_error *err)
{
    if (value->kind == STK_VALUE_DENSE &&
        (value->dtype != STK_DTYPE_BYTES || value->shape.rank == 0))
        return copy_plain(value, out, ledger, memory, err);
    if (value->kind == STK_VALUE_DENSE)
        return stk_value_strings(out, ledger, &value->shape, stk_value_data(value), err);
    stk_value flat = *value;
    flat.kind = STK_VALUE_DENSE;
    if (value->kind == STK_VALUE_RAGGED)
        return stk_value_ragged(out, ledger, &flat, value->splits_or_indices,
                                stk_value_index_count(value), value->count, value->levels, err);
    flat.shape = stk_shape_1d(value->count);
    return stk_value_sparse(out, ledger, &flat, &value->shape, value->splits_or_indices,
                            value->count, err);
}

stk_status stk_element_compact(stk_element **element, stk_ledger *ledger, stk_memory memory,
                               stk_error *err)
{
    const size_t count = stk_element_count(*element);
    for (size_t i = 0; i < count; i++) {
        if (!wastes(*element, i)) continue;
        stk_value copy;
        STK_TRY(stk_element_make_unique(element, err));
        stk_value *value = stk_element_edit(*element, i);
        STK_TRY(copy_value(value, &copy, ledger, memory, err));
        stk_value_release(value);
        *value = copy;
    }
    return STK_OK;
}
