/* Functions that cannot work on a stage's input are refused when the stage is made, naming the
 * stage, the function and both values. */
#include "values_support.h"

#include <stoker/functions.h>

/* One int64 scalar, and vectors of int64. */
static stk_dataset *numbers(void)
{
    return RANGE(4);
}

static stk_dataset *vectors(void)
{
    return stk_test_vectors(2, (const size_t[]){1, 2}, (const int64_t[]){1, 2, 3});
}

static void expect_refused(stk_status status, stk_status st, const stk_error *err,
                           const char *function, const char *op, const char *part)
{
    EXPECT_INT_EQ(status, st);
    EXPECT_STR_EQ(function, err->component);
    EXPECT_STR_EQ(op, err->where);
    EXPECT_CONTAINS(part, err->message);
}

#define REFUSED(status, op, function, part, ...)                                                   \
    do {                                                                                           \
        stk_error        why;                                                                      \
        const stk_status st = stk_dataset_##op(&data, __VA_ARGS__, &why);                          \
        expect_refused((status), st, &why, (function), #op, (part));                               \
    } while (0)

static stk_function *compare(int value)
{
    stk_error     err;
    stk_function *f;
    EXPECT_OK(stk_function_compare(&f, value, 0, STK_RELATION_LESS, stk_number_integer(3), &err));
    return f;
}

STK_TEST(a_test_of_a_value_that_is_not_there_is_refused_when_made)
{
    stk_dataset  *data = numbers();
    stk_function *f = compare(3);
    REFUSED(STK_E_RANGE, filter, "compare", "value 3 was asked for; elements have 1", f);
    REFUSED(STK_E_RANGE, take_while, "compare", "value 3 was asked for; elements have 1", f);
    stk_function_unref(f);
    stk_error err;
    EXPECT_OK(stk_function_to_text(&f, 0, &err));
    PUT(data, map, f, NULL);
    stk_function_unref(f);
    f = compare(0);
    REFUSED(STK_E_TYPE, filter, "compare", "is bytes; it must be", f);
    stk_dataset_unref(data);
    data = numbers();
    PUT(data, batch, 2, &(stk_batch_options){.drop_remainder = true});
    REFUSED(STK_E_SHAPE, filter, "compare", "value 0 has shape [2]; only one number", f);
    stk_function_unref(f);
    stk_dataset_unref(data);
}

typedef stk_status (*make_key)(stk_function **out, int value, stk_error *err);

static stk_status by_modulo(stk_function **out, int value, stk_error *err)
{
    return stk_function_modulo(out, value, 3, err);
}

STK_TEST(a_key_of_a_value_that_is_not_there_is_refused_when_made)
{
    static const struct {
        const char *name;
        make_key    make;
    } keys[] = {
        {"length", stk_function_length}, {"value", stk_function_value}, {"modulo", by_modulo}};
    static const int64_t     at[] = {2}, sizes[] = {1, 1};
    static const double      target[] = {1, 1};
    const stk_bucket_options bucket = {
        .boundaries = at, .boundary_count = 1, .batch_sizes = sizes, .batch_size_count = 2};
    for (size_t i = 0; i < COUNT_OF(keys); i++) {
        stk_error     err;
        stk_dataset  *data = vectors();
        stk_function *f, *negative, *reduce;
        EXPECT_OK(keys[i].make(&f, 1, &err));
        EXPECT_OK(keys[i].make(&negative, -1, &err));
        EXPECT_OK(stk_function_flatten(&reduce, STK_ALL_VALUES, &err));
        const char *part = "value 1 was asked for; elements have 1";
        REFUSED(STK_E_RANGE, group_by_window, keys[i].name, part, f, reduce, 2, NULL);
        REFUSED(STK_E_RANGE, bucket_by_length, keys[i].name, part, f, &bucket);
        REFUSED(STK_E_RANGE, rejection_resample, keys[i].name, part, f,
                &(stk_resample_options){.target = target, .class_count = 2});
        REFUSED(STK_E_RANGE, group_by_window, keys[i].name, "values are counted from 0", negative,
                reduce, 2, NULL);
        stk_function_unref(f);
        stk_function_unref(negative);
        stk_function_unref(reduce);
        stk_dataset_unref(data);
    }
}

STK_TEST(a_key_of_the_wrong_shape_or_type_is_refused_when_made)
{
    stk_error     err;
    stk_function *length, *value, *reduce;
    EXPECT_OK(stk_function_length(&length, 0, &err));
    EXPECT_OK(stk_function_value(&value, 0, &err));
    EXPECT_OK(stk_function_flatten(&reduce, STK_ALL_VALUES, &err));
    stk_dataset *data = numbers();
    REFUSED(STK_E_SHAPE, group_by_window, "length", "value 0 is a scalar", length, reduce, 2, NULL);
    stk_dataset_unref(data);
    data = vectors();
    REFUSED(STK_E_SHAPE, group_by_window, "value", "has shape [-1]; it must be a scalar", value,
            reduce, 2, NULL);
    stk_dataset_unref(data);
    stk_function_unref(length);
    stk_function_unref(value);
    stk_function_unref(reduce);
}

STK_TEST(datasets_of_values_that_are_not_there_are_refused_when_made)
{
    stk_error     err;
    stk_function *f;
    stk_dataset  *data = numbers();
    EXPECT_OK(stk_function_range_to(&f, 2, &err));
    REFUSED(STK_E_RANGE, flat_map, "range_to", "value 2 was asked for; elements have 1", f);
    REFUSED(STK_E_RANGE, interleave, "range_to", "value 2 was asked for; elements have 1", f, NULL);
    stk_function_unref(f);
    EXPECT_OK(stk_function_copies(&f, -4, &err));
    REFUSED(STK_E_RANGE, flat_map, "copies", "value -4 was asked for", f);
    stk_function_unref(f);
    EXPECT_OK(stk_function_slices(&f, &err));
    REFUSED(STK_E_INVALID, flat_map, "slices", "value 0 (0) is a scalar and has no rows", f);
    stk_function_unref(f);
    EXPECT_OK(stk_function_flatten(&f, STK_ALL_VALUES, &err));
    REFUSED(STK_E_TYPE, flat_map, "flatten", "no value of the element is a dataset", f);
    stk_function *pipeline;
    EXPECT_OK(stk_function_flatten(&pipeline, 5, &err));
    REFUSED(STK_E_RANGE, flat_map, "flatten", "value 5 was asked for; elements have 1", pipeline);
    stk_function_unref(pipeline);
    stk_function_unref(f);
    EXPECT_OK(stk_function_tfrecord(&f, 0, NULL, NULL, NULL, &err));
    REFUSED(STK_E_TYPE, flat_map, "tfrecord", "is int64; it must be bytes", f);
    stk_function_unref(f);
    EXPECT_OK(stk_function_text(&f, 1, NULL, NULL, NULL, &err));
    REFUSED(STK_E_RANGE, flat_map, "text", "value 1 was asked for; elements have 1", f);
    stk_function_unref(f);
    stk_dataset_unref(data);
}

STK_TEST(maps_and_scans_name_their_stage_too)
{
    stk_error     err;
    stk_function *f;
    stk_dataset  *data = vectors();
    EXPECT_OK(stk_function_fill(&f, -1, &err));
    REFUSED(STK_E_RANGE, map, "fill", "value -1 was asked for; values are counted from 0", f, NULL);
    stk_function_unref(f);
    EXPECT_OK(stk_function_select(&f, (const int[]){0, 4}, 2, &err));
    REFUSED(STK_E_RANGE, map, "select", "value 4 was asked for; elements have 1", f, NULL);
    stk_function_unref(f);
    stk_dataset_unref(data);
    data = numbers();
    EXPECT_OK(stk_function_to_text(&f, 0, &err));
    PUT(data, map, f, NULL);
    stk_function_unref(f);
    stk_element *zero = ELEMENT(SCALAR(0));
    EXPECT_OK(stk_function_running_sum(&f, &err));
    REFUSED(STK_E_TYPE, scan, "running_sum", "is bytes; it must be", zero, f);
    EXPECT_STATUS(STK_E_TYPE, stk_dataset_reduce(data, &zero, f, NULL, &err));
    stk_function_unref(f);
    stk_element_unref(zero);
    stk_dataset_unref(data);
}

STK_TEST(a_scan_from_the_wrong_state_is_refused_when_made)
{
    stk_error     err;
    stk_function *sum, *count;
    stk_element  *from;
    stk_dataset  *data = numbers();
    EXPECT_OK(stk_function_running_sum(&sum, &err));
    EXPECT_OK(stk_function_count(&count, &err));
    EXPECT_OK(stk_element_new(&from, 1, &err));
    stk_value_f32(stk_element_edit(from, 0), 0);
    REFUSED(STK_E_TYPE, scan, "running_sum",
            "the state is float32[] and the value int64[]; both must be the same", from, sum);
    REFUSED(STK_E_TYPE, scan, "count", "is float32; it must be int64", from, count);
    EXPECT_STATUS(STK_E_TYPE, stk_dataset_reduce(data, &from, sum, NULL, &err));
    stk_element_unref(from);
    from = ELEMENT(VECTOR(1, 2));
    REFUSED(STK_E_TYPE, scan, "running_sum",
            "the state is int64[2] and the value int64[]; both must be the same", from, sum);
    stk_element_unref(from);
    stk_function_unref(sum);
    stk_function_unref(count);
    stk_dataset_unref(data);
}

/* What is not known before is left to the elements. */
STK_TEST(where_nothing_is_known_elements_tell)
{
    stk_dataset  *data = numbers();
    stk_function *f = compare(3);
    APPLY(data, map, stk_test_add(1), NULL);
    APPLY(data, filter, f);
    stk_function_unref(f);
    stk_test_fails(data, STK_E_RANGE, "value 3 was asked for; elements have 1");
}
