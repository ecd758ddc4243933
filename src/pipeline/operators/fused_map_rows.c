/* Output rows in the batch being built. */
#include "pipeline/operators/fused_map_rows.h"

#include "base/checked.h"

enum { BYTES_MIN = 256 }; /* below, a copy is cheaper than to think about it */

static bool keeps_value(const stk_function *function, int value)
{
    const stk_function_info *info = stk_function_info_of(function);
    return info->test || (info->traits & STK_FUNCTION_ONE_VALUE && info->value != value);
}

/* The last step that may change value; count when none does. */
static size_t last_writer(const stk_fused_map_params *p, int value)
{
    for (size_t i = p->count; i-- > 0;)
        if (!keeps_value(p->steps[i].function, value)) return i;
    return p->count;
}

/* The shape of one row and its bytes; false when they are not known. */
static bool measure(const stk_value_spec *spec, stk_fused_map_row *row)
{
    if (spec->kind != STK_VALUE_DENSE || !spec->dtype || spec->dtype == STK_DTYPE_BYTES ||
        !spec->rank_known || spec->shape.rank < 1)
        return false;
    row->dtype = spec->dtype;
    row->shape = (stk_shape){.rank = spec->shape.rank - 1};
    row->bytes = stk_dtype_bytes(spec->dtype);
    for (int i = 0; i < row->shape.rank; i++) {
        row->shape.dim[i] = spec->shape.dim[i + 1];
        if (row->shape.dim[i] <= 0 ||
            stk_mul_overflows(row->bytes, (size_t)row->shape.dim[i], &row->bytes))
            return false;
    }
    return row->bytes >= BYTES_MIN;
}

void stk_fused_map_rows_find(stk_fused_map_rows *rows, const stk_fused_map_params *params,
                             const stk_element_spec *batched, const stk_allocator *kind)
{
    *rows = (stk_fused_map_rows){.kind = kind};
    if (!batched->known || !params->batch) return;
    for (size_t v = 0; v < batched->count && rows->count < STK_FUSED_MAP_ROWS_MAX; v++) {
        stk_fused_map_row row = {.value = (int)v, .step = last_writer(params, (int)v)};
        if (row.step < params->count && measure(&batched->values[v], &row))
            rows->rows[rows->count++] = row;
    }
}

static stk_shape with_rows(const stk_shape *shape, size_t row_count)
{
    stk_shape out = {.rank = shape->rank + 1, .dim = {(int64_t)row_count}};
    memcpy(out.dim + 1, shape->dim, (size_t)shape->rank * sizeof out.dim[0]);
    return out;
}

static stk_status allocate_rows(const stk_fused_map_rows *rows, const stk_fused_map_row *row,
                                size_t row_count, stk_ledger *ledger, stk_value *out,
                                stk_error *err)
{
    size_t      bytes;
    stk_buffer *storage;
    if (stk_mul_overflows(row_count, row->bytes, &bytes))
        return stk_fail(err, STK_E_LIMIT, "batch", NULL, "%zu rows of %zu bytes are too many",
                        row_count, row->bytes);
    STK_TRY(rows->kind
                ? stk_buffer_new_with(&storage, rows->kind, ledger, STK_MEMORY_BATCH, bytes, err)
                : stk_buffer_new(&storage, ledger, STK_MEMORY_BATCH, bytes, err));
    *out = (stk_value){.dtype = row->dtype,
                       .shape = with_rows(&row->shape, row_count),
                       .data = stk_buffer_data(storage),
                       .storage = storage};
    return STK_OK;
}

stk_status stk_fused_map_rows_prepare(const stk_fused_map_rows *rows,
                                      const stk_element_spec *batched, stk_ledger *ledger,
                                      stk_work_unit *unit, stk_error *err)
{
    stk_element_unref(unit->result);
    unit->result = NULL;
    if (!rows->count) return STK_OK;
    stk_status st = stk_element_new(&unit->result, batched->count, err);
    for (size_t i = 0; i < rows->count && !st; i++)
        st = allocate_rows(rows, &rows->rows[i], unit->count, ledger,
                           stk_element_edit(unit->result, (size_t)rows->rows[i].value), err);
    if (!st) return STK_OK;
    stk_element_unref(unit->result);
    unit->result = NULL;
    return st;
}

size_t stk_fused_map_rows_of(const stk_fused_map_rows *rows, const stk_work_unit *unit, size_t item,
                             size_t step, stk_output_row out[STK_FUSED_MAP_ROWS_MAX])
{
    size_t count = 0;
    if (!unit->result) return 0;
    for (size_t i = 0; i < rows->count; i++) {
        const stk_fused_map_row *row = &rows->rows[i];
        if (row->step != step) continue;
        const stk_value *batch = stk_element_value(unit->result, (size_t)row->value);
        out[count++] = (stk_output_row){.value = row->value,
                                        .dtype = row->dtype,
                                        .shape = row->shape,
                                        .data = (uint8_t *)batch->data + item * row->bytes,
                                        .storage = batch->storage};
    }
    return count;
}
