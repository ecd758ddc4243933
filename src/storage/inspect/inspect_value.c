/* Records and samples as lists of named values. */
#include "storage/inspect/inspect_value.h"

#include "base/checked.h"

void stk_inspect_values_init(stk_inspect_values *values, stk_ledger *ledger)
{
    stk_blob_init(&values->items, ledger, STK_MEMORY_DECODE);
    stk_blob_init(&values->decoded, ledger, STK_MEMORY_DECODE);
}

void stk_inspect_values_release(stk_inspect_values *values)
{
    stk_blob_release(&values->items);
    stk_blob_release(&values->decoded);
}

static stk_status collect(void *context, int64_t step, const stk_feature_view *feature,
                          stk_error *err)
{
    stk_inspect_values     *values = context;
    const stk_inspect_value value = {.step = step, .view = *feature};
    return stk_blob_append(&values->items, &value, sizeof value, err);
}

/* All values are collected before any is used, so that a record that turns out to be no Example
 * half-way leaves no trace in the statistics. */
stk_status stk_inspect_values_parse(stk_inspect_values *values, stk_bytes record, const char *where,
                                    stk_error *err)
{
    values->items.size = 0;
    return stk_sequence_example_visit(record, where, collect, values, err);
}

stk_status stk_inspect_values_take(stk_inspect_values *values, const stk_sample *sample,
                                   stk_error *err)
{
    values->items.size = 0;
    for (size_t i = 0; i < sample->field_count; i++) {
        const stk_field        *field = &sample->fields[i];
        const stk_inspect_value value = {
            .step = STK_STEP_NONE,
            .view = {.name = stk_bytes_text(field->name),
                     .dtype = field->dtype,
                     .count = field->count},
            .data = field->data ? field->data : "",
            .shape = &field->shape,
        };
        STK_TRY(stk_blob_append(&values->items, &value, sizeof value, err));
    }
    return STK_OK;
}

stk_status stk_inspect_decode(stk_inspect_values *values, const stk_inspect_value *value,
                              size_t max, const void **data, size_t *count, stk_error *err)
{
    const stk_feature_view *view = &value->view;
    *count = view->count < max ? view->count : max;
    *data = value->data;
    if (value->data || !*count) return STK_OK;
    size_t bytes;
    if (stk_mul_overflows(*count, stk_dtype_bytes(view->dtype), &bytes))
        return stk_fail(err, STK_E_LIMIT, "inspect", NULL, "%zu values do not fit in memory",
                        *count);
    STK_TRY(stk_blob_reserve(&values->decoded, bytes, err));
    *data = values->decoded.data;
    switch (view->dtype) {
    case STK_DTYPE_I64:
        return stk_feature_decode_ints(view, (int64_t *)(void *)values->decoded.data, *count, count,
                                       err);
    case STK_DTYPE_F32:
        return stk_feature_decode_floats(view, (float *)(void *)values->decoded.data, *count, count,
                                         err);
    case STK_DTYPE_BYTES:
        return stk_feature_decode_bytes(view, (stk_bytes *)(void *)values->decoded.data, *count,
                                        count, err);
    default:
        *count = 0;
        return STK_OK;
    }
}
