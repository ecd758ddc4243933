/* Shows every entry of an Example, and reads the values of one. */
#include "storage/example/example_visit.h"

#include "storage/example/value_list.h"

static const stk_bytes no_key = {NULL, 0};

stk_status stk_feature_look(const stk_record_location *location, stk_bytes name, stk_bytes message,
                            stk_feature_view *view, stk_error *err)
{
    stk_wire feature = stk_wire_over(message);
    *view = (stk_feature_view){.name = name};
    if (!stk_value_list_find(&feature, &view->dtype, &view->encoded))
        return stk_record_fault(err, location, name, &feature);
    if (!view->dtype) return STK_OK;
    stk_wire list = stk_wire_over(view->encoded);
    if (!stk_value_list_count(&list, view->dtype, &view->count))
        return stk_record_fault(err, location, name, &list);
    return STK_OK;
}

stk_status stk_features_visit(const stk_record_location *location, stk_bytes features,
                              stk_feature_visit visit, void *context, stk_error *err)
{
    stk_wire         wire = stk_wire_over(features);
    stk_bytes        message, key, value;
    stk_feature_view view;
    while (stk_wire_next(&wire, 1, &message)) {
        stk_wire entry = stk_wire_over(message);
        if (!stk_wire_entry(&entry, &key, &value))
            return stk_record_fault(err, location, key.size ? key : no_key, &entry);
        STK_TRY(stk_feature_look(location, key, value, &view, err));
        STK_TRY(visit(context, &view, err));
    }
    return wire.fault ? stk_record_fault(err, location, no_key, &wire) : STK_OK;
}

stk_status stk_example_visit(stk_bytes record, const char *where, stk_feature_visit visit,
                             void *context, stk_error *err)
{
    const stk_record_location location = {record, STK_NO_INDEX, where};
    stk_wire                  wire = stk_wire_over(record);
    stk_bytes                 features;
    while (stk_wire_next(&wire, 1, &features))
        STK_TRY(stk_features_visit(&location, features, visit, context, err));
    return wire.fault ? stk_record_fault(err, &location, no_key, &wire) : STK_OK;
}

static stk_status decode(const stk_feature_view *feature, stk_dtype dtype, void *values,
                         size_t capacity, size_t *count, stk_error *err)
{
    const stk_record_location location = {feature->encoded, STK_NO_INDEX, NULL};
    stk_wire                  list = stk_wire_over(feature->encoded);
    *count = 0;
    if (!feature->dtype) return STK_OK; /* the kind is unset: no values of any type */
    if (feature->dtype != dtype)
        return stk_record_fail(err, STK_E_TYPE, &location, feature->name,
                               "the data is of type %s but type %s is expected",
                               stk_value_list_name(feature->dtype), stk_value_list_name(dtype));
    if (!stk_value_list_read(&list, dtype, values, capacity, count))
        return stk_record_fault(err, &location, feature->name, &list);
    return STK_OK;
}

stk_status stk_feature_decode_ints(const stk_feature_view *feature, int64_t *values,
                                   size_t capacity, size_t *count, stk_error *err)
{
    return decode(feature, STK_DTYPE_I64, values, capacity, count, err);
}

stk_status stk_feature_decode_floats(const stk_feature_view *feature, float *values,
                                     size_t capacity, size_t *count, stk_error *err)
{
    return decode(feature, STK_DTYPE_F32, values, capacity, count, err);
}

stk_status stk_feature_decode_bytes(const stk_feature_view *feature, stk_bytes *values,
                                    size_t capacity, size_t *count, stk_error *err)
{
    return decode(feature, STK_DTYPE_BYTES, values, capacity, count, err);
}
