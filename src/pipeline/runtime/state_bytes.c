/* Numbers as varints, strings with their length, elements value by value. */
#include "pipeline/runtime/state_bytes.h"

#include "base/checked.h"
#include "pipeline/element/ragged.h"
#include "pipeline/runtime/elements.h"

enum { VARINT_MAX = 10 };

stk_status stk_state_damaged(const stk_state_in *in, const char *what, stk_error *err)
{
    return stk_fail(err, STK_E_DATALOSS, in->component, NULL,
                    "the checkpoint is damaged (%s); go back to an older one", what);
}

stk_status stk_state_put_u64(stk_state_out *out, uint64_t number, stk_error *err)
{
    uint8_t bytes[VARINT_MAX];
    size_t  size = 0;
    while (number >= 128) {
        bytes[size++] = (uint8_t)(number | 128);
        number >>= 7;
    }
    bytes[size++] = (uint8_t)number;
    return stk_blob_append(out->blob, bytes, size, err);
}

/* Zigzag: small negative numbers stay short. */
stk_status stk_state_put_i64(stk_state_out *out, int64_t number, stk_error *err)
{
    return stk_state_put_u64(out, ((uint64_t)number << 1) ^ (uint64_t)(number >> 63), err);
}

stk_status stk_state_put_bytes(stk_state_out *out, stk_bytes bytes, stk_error *err)
{
    STK_TRY(stk_state_put_u64(out, bytes.size, err));
    return bytes.size ? stk_blob_append(out->blob, bytes.data, bytes.size, err) : STK_OK;
}

stk_status stk_state_get_u64(stk_state_in *in, uint64_t *number, stk_error *err)
{
    *number = 0;
    for (size_t i = 0; i < in->left.size && i < VARINT_MAX; i++) {
        const uint8_t byte = in->left.data[i];
        if (i == VARINT_MAX - 1 && byte > 1) break;
        *number |= (uint64_t)(byte & 127) << (7 * i);
        if (byte < 128) {
            in->left = stk_bytes_of(in->left.data + i + 1, in->left.size - i - 1);
            return STK_OK;
        }
    }
    return stk_state_damaged(in, "a number ends too soon or is too long", err);
}

stk_status stk_state_get_i64(stk_state_in *in, int64_t *number, stk_error *err)
{
    uint64_t folded;
    STK_TRY(stk_state_get_u64(in, &folded, err));
    *number = (int64_t)((folded >> 1) ^ (~(folded & 1) + 1));
    return STK_OK;
}

stk_status stk_state_get_count(stk_state_in *in, uint64_t max, uint64_t *number, stk_error *err)
{
    STK_TRY(stk_state_get_u64(in, number, err));
    return *number > max ? stk_state_damaged(in, "a number is out of range", err) : STK_OK;
}

stk_status stk_state_get_bool(stk_state_in *in, bool *truth, stk_error *err)
{
    uint64_t number;
    STK_TRY(stk_state_get_count(in, 1, &number, err));
    *truth = number != 0;
    return STK_OK;
}

stk_status stk_state_get_bytes(stk_state_in *in, stk_bytes *bytes, stk_error *err)
{
    uint64_t size;
    STK_TRY(stk_state_get_count(in, UINT64_MAX, &size, err));
    if (size > in->left.size) return stk_state_damaged(in, "a string ends too soon", err);
    *bytes = stk_bytes_of(in->left.data, (size_t)size);
    in->left = stk_bytes_of(in->left.data + size, in->left.size - (size_t)size);
    return STK_OK;
}

static stk_status put_data(stk_state_out *out, const stk_value *value, int64_t count,
                           stk_error *err)
{
    if (value->dtype != STK_DTYPE_BYTES)
        return stk_state_put_bytes(
            out, stk_bytes_of(stk_value_data(value), (size_t)count * stk_dtype_bytes(value->dtype)),
            err);
    const stk_bytes *strings = stk_value_data(value);
    for (int64_t i = 0; i < count; i++)
        STK_TRY(stk_state_put_bytes(out, strings[i], err));
    return STK_OK;
}

static stk_status put_indices(stk_state_out *out, const stk_value *value, stk_error *err)
{
    const size_t numbers = stk_value_index_count(value);
    STK_TRY(stk_state_put_i64(out, value->count, err));
    for (size_t i = 0; i < numbers; i++)
        STK_TRY(stk_state_put_i64(out, value->splits_or_indices[i], err));
    return STK_OK;
}

/* Ragged values of several levels, and datasets with a spec, have numbers after the last kind, so
 * that what was written before there were any is read as ever. */
enum {
    NESTED_KINDS = STK_VALUE_DATASET - 1,
    DATASET_KIND = NESTED_KINDS + STK_MAX_RANK + 1 /* with its spec; STK_VALUE_DATASET: without */
};

static uint64_t kind_number(const stk_value *value)
{
    if (value->kind == STK_VALUE_DATASET) return DATASET_KIND;
    return value->kind == STK_VALUE_RAGGED && value->levels > 1
               ? (uint64_t)(NESTED_KINDS + value->levels)
               : (uint64_t)value->kind;
}

static stk_status put_value(stk_state_out *out, const stk_value *value, stk_error *err)
{
    STK_TRY(stk_state_put_u64(out, kind_number(value), err));
    if (value->kind == STK_VALUE_DATASET) return stk_elements_save(value->small.dataset, out, err);
    STK_TRY(stk_state_put_u64(out, value->dtype, err));
    STK_TRY(stk_state_put_u64(out, (uint64_t)value->shape.rank, err));
    for (int i = 0; i < value->shape.rank; i++)
        STK_TRY(stk_state_put_i64(out, value->shape.dim[i], err));
    if (value->kind != STK_VALUE_DENSE) STK_TRY(put_indices(out, value, err));
    return put_data(out, value,
                    value->kind == STK_VALUE_SPARSE ? value->count : stk_value_elements(value),
                    err);
}

stk_status stk_state_put_spec(stk_state_out *out, const stk_element_spec *spec, stk_error *err)
{
    STK_TRY(stk_state_put_u64(out, spec->known ? spec->count + 1 : 0, err));
    for (size_t i = 0; spec->known && i < spec->count; i++) {
        const stk_value_spec *value = &spec->values[i];
        const int             rank = value->rank_known ? value->shape.rank : -1;
        STK_TRY(stk_state_put_bytes(out, stk_bytes_text(value->name ? value->name : ""), err));
        STK_TRY(stk_state_put_u64(out, value->kind, err));
        STK_TRY(stk_state_put_u64(out, value->dtype, err));
        STK_TRY(stk_state_put_i64(out, value->ragged, err));
        STK_TRY(stk_state_put_i64(out, rank, err));
        for (int d = 0; d < rank; d++)
            STK_TRY(stk_state_put_i64(out, value->shape.dim[d], err));
    }
    return STK_OK;
}

stk_status stk_state_put_element(stk_state_out *out, const stk_element *element, stk_error *err)
{
    if (!element) return stk_state_put_u64(out, 0, err);
    const size_t      count = stk_element_count(element);
    const stk_origin *from = stk_element_origin(element);
    STK_TRY(stk_state_put_u64(out, count + 1, err));
    STK_TRY(stk_state_put_u64(out, from->file != NULL, err));
    if (from->file)
        STK_TRY(stk_state_put_bytes(
            out, stk_bytes_of(stk_buffer_data(from->file), stk_buffer_size(from->file)), err));
    STK_TRY(stk_state_put_u64(out, from->record, err));
    STK_TRY(stk_state_put_u64(out, from->offset, err));
    STK_TRY(stk_state_put_u64(out, from->epoch, err));
    STK_TRY(stk_state_put_u64(out, from->index, err));
    for (size_t i = 0; i < count; i++)
        STK_TRY(put_value(out, stk_element_value(element, i), err));
    return STK_OK;
}

static stk_status get_shape(stk_state_in *in, stk_shape *shape, int64_t *count, stk_error *err)
{
    uint64_t rank;
    STK_TRY(stk_state_get_count(in, STK_MAX_RANK, &rank, err));
    *shape = stk_shape_scalar();
    shape->rank = (int)rank;
    for (uint64_t i = 0; i < rank; i++)
        STK_TRY(stk_state_get_i64(in, &shape->dim[i], err));
    stk_error ignored;
    return stk_shape_count(shape, count, &ignored) ? stk_state_damaged(in, "a shape", err) : STK_OK;
}

/* Every string takes a byte at least, so count is checked against what is left first. */
static stk_status get_strings(stk_state_in *in, stk_value *value, const stk_shape *shape,
                              int64_t count, stk_error *err)
{
    if ((uint64_t)count > in->left.size)
        return stk_state_damaged(in, "there are fewer strings than it says", err);
    stk_blob views;
    stk_blob_init(&views, in->ledger, STK_MEMORY_RECORD);
    stk_status st = stk_blob_reserve(&views, ((size_t)count + 1) * sizeof(stk_bytes), err);
    stk_bytes *strings = (stk_bytes *)(void *)views.data;
    for (int64_t i = 0; i < count && !st; i++)
        st = stk_state_get_bytes(in, &strings[i], err);
    if (!st) st = stk_value_strings(value, in->ledger, shape, strings, err);
    stk_blob_release(&views);
    return st;
}

static stk_status get_dense(stk_state_in *in, stk_value *value, stk_dtype dtype,
                            const stk_shape *shape, int64_t count, stk_error *err)
{
    if (dtype == STK_DTYPE_BYTES) return get_strings(in, value, shape, count, err);
    stk_bytes data;
    void     *to;
    STK_TRY(stk_state_get_bytes(in, &data, err));
    if (data.size / stk_dtype_bytes(dtype) != (size_t)count || data.size % stk_dtype_bytes(dtype))
        return stk_state_damaged(in, "a value has another size than its shape", err);
    STK_TRY(stk_value_dense(value, in->ledger, dtype, shape, &to, err));
    if (data.size) memcpy(to, data.data, data.size);
    return STK_OK;
}

/* Appends more numbers to list; each takes a byte at least. */
static stk_status get_numbers(stk_state_in *in, stk_blob *list, uint64_t count, stk_error *err)
{
    if (count > in->left.size) return stk_state_damaged(in, "a number of places", err);
    for (uint64_t i = 0; i < count; i++) {
        int64_t number;
        STK_TRY(stk_state_get_i64(in, &number, err));
        STK_TRY(stk_blob_append(list, &number, sizeof number, err));
    }
    return STK_OK;
}

static stk_status get_rows(stk_state_in *in, int64_t *rows, stk_error *err)
{
    STK_TRY(stk_state_get_i64(in, rows, err));
    return *rows < 0 || (uint64_t)*rows >= in->left.size
               ? stk_state_damaged(in, "a number of rows", err)
               : STK_OK;
}

/* Level after level: each gives the number of rows of the next. */
static stk_status get_splits(stk_state_in *in, stk_blob *splits, int64_t rows, int levels,
                             stk_error *err)
{
    for (int i = 0; i < levels; i++) {
        STK_TRY(get_numbers(in, splits, (uint64_t)rows + 1, err));
        rows = ((const int64_t *)(const void *)splits->data)[splits->size / sizeof rows - 1];
        if (rows < 0 || (i + 1 < levels && (uint64_t)rows >= in->left.size))
            return stk_state_damaged(in, "row splits or places", err);
    }
    return STK_OK;
}

/* Splits or indices and the flat values must share one buffer: reads both, then joins them. */
static stk_status get_ragged(stk_state_in *in, stk_value *value, stk_dtype dtype,
                             const stk_shape *shape, int64_t count, int levels, stk_error *err)
{
    int64_t rows;
    STK_TRY(get_rows(in, &rows, err));
    stk_blob  splits;
    stk_value dense = {0};
    stk_blob_init(&splits, in->ledger, STK_MEMORY_RECORD);
    stk_status st = get_splits(in, &splits, rows, levels, err);
    if (!st) st = get_dense(in, &dense, dtype, shape, count, err);
    if (!st)
        st = stk_value_ragged(value, in->ledger, &dense, (const int64_t *)(const void *)splits.data,
                              splits.size / sizeof(int64_t), rows, levels, err);
    if (st == STK_E_INVALID) st = stk_state_damaged(in, "row splits or places", err);
    stk_value_release(&dense);
    stk_blob_release(&splits);
    return st;
}

static stk_status get_sparse(stk_state_in *in, stk_value *value, stk_dtype dtype,
                             const stk_shape *shape, stk_error *err)
{
    int64_t rows;
    STK_TRY(get_rows(in, &rows, err));
    const stk_shape flat = stk_shape_1d(rows);
    stk_blob        splits_or_indices;
    stk_value       dense = {0};
    stk_blob_init(&splits_or_indices, in->ledger, STK_MEMORY_RECORD);
    stk_status st = stk_blob_reserve(&splits_or_indices, sizeof(int64_t), err);
    if (!st) st = get_numbers(in, &splits_or_indices, (uint64_t)rows * (uint64_t)shape->rank, err);
    if (!st) st = get_dense(in, &dense, dtype, &flat, rows, err);
    if (!st)
        st = stk_value_sparse(value, in->ledger, &dense, shape,
                              (const int64_t *)(const void *)splits_or_indices.data, rows, err);
    if (st == STK_E_INVALID) st = stk_state_damaged(in, "row splits or places", err);
    stk_value_release(&dense);
    stk_blob_release(&splits_or_indices);
    return st;
}

static stk_status get_value(stk_state_in *in, stk_value *value, stk_error *err)
{
    uint64_t kind, dtype;
    STK_TRY(stk_state_get_count(in, DATASET_KIND, &kind, err));
    if (kind == STK_VALUE_DATASET || kind == DATASET_KIND) {
        stk_dataset *data;
        if (in->nested == STK_STATE_NESTED_MAX)
            return stk_state_damaged(in, "datasets inside datasets without end", err);
        in->nested++;
        STK_TRY(stk_elements_restore(&data, in, kind == STK_VALUE_DATASET, err));
        in->nested--;
        stk_value_dataset(value, data);
        stk_dataset_unref(data);
        return STK_OK;
    }
    stk_shape shape;
    int64_t   count;
    STK_TRY(stk_state_get_count(in, STK_DTYPE_COUNT - 1, &dtype, err));
    if (dtype == STK_DTYPE_NONE) return stk_state_damaged(in, "a type", err);
    STK_TRY(get_shape(in, &shape, &count, err));
    if (kind == STK_VALUE_DENSE) return get_dense(in, value, (stk_dtype)dtype, &shape, count, err);
    if (kind == STK_VALUE_SPARSE) return get_sparse(in, value, (stk_dtype)dtype, &shape, err);
    const int levels = kind == STK_VALUE_RAGGED ? 1 : (int)kind - NESTED_KINDS;
    return get_ragged(in, value, (stk_dtype)dtype, &shape, count, levels, err);
}

enum { VALUE_SPEC_BYTES = 5 }; /* at least, as written */

static stk_status get_value_spec(stk_state_in *in, stk_value_spec *value, stk_arena *arena,
                                 stk_error *err)
{
    stk_bytes name = {0};
    uint64_t  kind, dtype;
    int64_t   ragged, rank;
    STK_TRY(stk_state_get_bytes(in, &name, err));
    STK_TRY(stk_state_get_count(in, STK_VALUE_DATASET, &kind, err));
    STK_TRY(stk_state_get_count(in, STK_DTYPE_COUNT - 1, &dtype, err));
    STK_TRY(stk_state_get_i64(in, &ragged, err));
    STK_TRY(stk_state_get_i64(in, &rank, err));
    if (rank < -1 || rank > STK_MAX_RANK || ragged < 0 || ragged > INT32_MAX)
        return stk_state_damaged(in, "a spec", err);
    *value = (stk_value_spec){.kind = (stk_value_kind)kind,
                              .dtype = (stk_dtype)dtype,
                              .ragged = (int)ragged,
                              .rank_known = rank >= 0,
                              .shape.rank = rank > 0 ? (int)rank : 0};
    for (int64_t d = 0; d < rank; d++) {
        STK_TRY(stk_state_get_i64(in, &value->shape.dim[d], err));
        if (value->shape.dim[d] < -1) return stk_state_damaged(in, "a spec", err);
    }
    value->name = stk_arena_text(arena, (const char *)name.data, name.size, err);
    return value->name ? STK_OK : STK_E_NOMEM;
}

stk_status stk_state_get_spec(stk_state_in *in, stk_element_spec *spec, stk_arena *arena,
                              stk_error *err)
{
    uint64_t count;
    *spec = (stk_element_spec){0};
    STK_TRY(stk_state_get_count(in, in->left.size / VALUE_SPEC_BYTES + 1, &count, err));
    if (!count--) return STK_OK;
    stk_value_spec *values = stk_arena_array(arena, count ? count : 1, sizeof *values, err);
    if (!values) return STK_E_NOMEM;
    for (uint64_t i = 0; i < count; i++)
        STK_TRY(get_value_spec(in, &values[i], arena, err));
    *spec = (stk_element_spec){.known = true, .count = count, .values = values};
    return STK_OK;
}

static stk_status get_origin(stk_state_in *in, stk_element *element, stk_error *err)
{
    stk_origin from = {0};
    bool       has_file;
    stk_bytes  file = {0};
    STK_TRY(stk_state_get_bool(in, &has_file, err));
    if (has_file) STK_TRY(stk_state_get_bytes(in, &file, err));
    STK_TRY(stk_state_get_u64(in, &from.record, err));
    STK_TRY(stk_state_get_u64(in, &from.offset, err));
    STK_TRY(stk_state_get_u64(in, &from.epoch, err));
    STK_TRY(stk_state_get_u64(in, &from.index, err));
    if (has_file) {
        STK_TRY(stk_buffer_new(&from.file, in->ledger, STK_MEMORY_INDEX, file.size, err));
        if (file.size) memcpy(stk_buffer_data(from.file), file.data, file.size);
    }
    stk_element_set_origin(element, &from);
    stk_buffer_unref(from.file);
    return STK_OK;
}

stk_status stk_state_get_element(stk_state_in *in, stk_element **out, stk_error *err)
{
    *out = NULL;
    uint64_t count;
    STK_TRY(stk_state_get_count(in, in->left.size, &count, err));
    if (count == 0) return STK_OK;
    stk_element *element;
    STK_TRY(stk_element_new(&element, (size_t)count - 1, err));
    stk_status st = get_origin(in, element, err);
    for (uint64_t i = 0; i + 1 < count && !st; i++)
        st = get_value(in, stk_element_edit(element, i), err);
    if (st) {
        stk_element_unref(element);
        return st;
    }
    *out = element;
    return STK_OK;
}
