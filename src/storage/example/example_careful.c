/* One record by the book. First the entries are walked, and for each wanted feature the last one is
 * remembered; then those are read. So an entry that a later one replaces is never read, whatever it
 * holds, as in TensorFlow. */
#include "storage/example/example_batch.h"
#include "storage/example/value_list.h"

static const stk_bytes no_key = {NULL, 0};

/* A Feature whose kind is unset counts as missing. When it follows another of the same key,
 * TensorFlow's dense features fall back to that one, while those of varying length are empty, as
 * protobuf would have it; so are ours. */
static void remember(stk_example_batch *batch, stk_bytes key, stk_bytes value)
{
    const size_t index = stk_key_table_find(&batch->parser->names, key.data, key.size);
    if (index == batch->parser->count) return;
    stk_example_column *column = &batch->columns[index];
    stk_wire            feature = stk_wire_over(value);
    stk_dtype           dtype;
    stk_bytes           list;
    const bool          unset = stk_value_list_find(&feature, &dtype, &list) && !dtype;
    if (unset && column->feature->kind != STK_FEATURE_VARLEN) return;
    if (column->found.data) batch->duplicates++;
    column->found = value;
}

static stk_status walk_features(stk_example_batch *batch, const stk_record_location *location,
                                stk_bytes features, stk_error *err)
{
    stk_wire  wire = stk_wire_over(features);
    stk_bytes message, key, value;
    while (stk_wire_next(&wire, 1, &message)) {
        stk_wire entry = stk_wire_over(message);
        if (!stk_wire_entry(&entry, &key, &value))
            return stk_record_fault(err, location, key.size ? key : no_key, &entry);
        remember(batch, key, value);
    }
    return wire.fault ? stk_record_fault(err, location, no_key, &wire) : STK_OK;
}

static stk_status walk_record(stk_example_batch *batch, const stk_record_location *location,
                              stk_error *err)
{
    stk_wire  wire = stk_wire_over(location->record);
    stk_bytes features;
    while (stk_wire_next(&wire, 1, &features))
        STK_TRY(walk_features(batch, location, features, err));
    return wire.fault ? stk_record_fault(err, location, no_key, &wire) : STK_OK;
}

static stk_status read_missing(stk_example_column *column, const stk_record_location *location,
                               stk_error *err)
{
    const stk_example_feature *feature = column->feature;
    if (feature->kind != STK_FEATURE_DENSE) return STK_OK;
    if (!feature->has_default)
        return stk_record_fail(err, STK_E_INVALID, location, feature->name,
                               "the feature (%s) is required but could not be found: give it a "
                               "default or declare its length as varying",
                               stk_value_list_name(feature->dtype));
    memcpy(stk_column_row(column, location->index), feature->fill,
           feature->stride * feature->element_bytes);
    return STK_OK;
}

static stk_status check_count(const stk_example_feature *feature,
                              const stk_record_location *location, size_t count, stk_error *err)
{
    char shape[128];
    if (feature->kind == STK_FEATURE_DENSE && count != feature->stride)
        return stk_record_fail(err, STK_E_SHAPE, location, feature->name,
                               "%zu %s values, expected %zu for shape %s", count,
                               stk_value_list_name(feature->dtype), feature->stride,
                               stk_shape_text(&feature->shape, shape, sizeof shape));
    if (feature->kind == STK_FEATURE_DENSE_PADDED && count % feature->stride)
        return stk_record_fail(err, STK_E_SHAPE, location, feature->name,
                               "%zu %s values, expected a multiple of %zu for rows of shape %s",
                               count, stk_value_list_name(feature->dtype), feature->stride,
                               stk_shape_text(&feature->shape, shape, sizeof shape));
    return STK_OK;
}

static stk_status read_found(stk_example_column *column, const stk_record_location *location,
                             stk_error *err)
{
    const stk_example_feature *feature = column->feature;
    stk_wire                   message = stk_wire_over(column->found);
    stk_dtype                  dtype;
    stk_bytes                  list;
    if (!stk_value_list_find(&message, &dtype, &list))
        return stk_record_fault(err, location, feature->name, &message);
    if (!dtype) return STK_OK;
    if (dtype != feature->dtype)
        return stk_record_fail(err, STK_E_TYPE, location, feature->name,
                               "the data is of type %s but type %s is expected",
                               stk_value_list_name(dtype), stk_value_list_name(feature->dtype));
    size_t   count;
    stk_wire counted = stk_wire_over(list), values = counted;
    if (!stk_value_list_count(&counted, dtype, &count))
        return stk_record_fault(err, location, feature->name, &counted);
    STK_TRY(check_count(feature, location, count, err));
    const bool dense = feature->kind == STK_FEATURE_DENSE;
    void      *to =
        dense ? stk_column_row(column, location->index)
                   : stk_values_grow(&column->values, column->used, count, feature->element_bytes, err);
    if (!to && !dense) return err ? err->status : STK_E_NOMEM;
    if (!stk_value_list_read(&values, dtype, to, count, &count))
        return stk_record_fault(err, location, feature->name, &values);
    if (!dense) column->used += count;
    return STK_OK;
}

stk_status stk_example_parse_careful(stk_example_batch *batch, const stk_record_location *location,
                                     stk_error *err)
{
    for (size_t i = 0; i < batch->parser->count; i++)
        batch->columns[i].found = no_key;
    STK_TRY(walk_record(batch, location, err));
    for (size_t i = 0; i < batch->parser->count; i++) {
        stk_example_column *column = &batch->columns[i];
        STK_TRY(column->found.data ? read_found(column, location, err)
                                   : read_missing(column, location, err));
    }
    return STK_OK;
}
