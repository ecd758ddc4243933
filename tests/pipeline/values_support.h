/* Elements in tests, written down as values. A failure ends the test. */
#ifndef STK_TESTS_VALUES_SUPPORT_H
#define STK_TESTS_VALUES_SUPPORT_H

#include "pipeline_support.h"

/* int64 numbers of shape. */
static inline stk_value stk_test_tensor(stk_shape shape, const int64_t *numbers)
{
    stk_error err;
    stk_value value;
    void     *data;
    EXPECT_OK(stk_value_dense(&value, NULL, STK_DTYPE_I64, &shape, &data, &err));
    const size_t bytes = (size_t)stk_value_elements(&value) * sizeof *numbers;
    if (bytes && numbers) memcpy(data, numbers, bytes);
    return value;
}

static inline stk_value stk_test_strings(size_t count, const char *const *texts)
{
    stk_error       err;
    stk_value       value;
    stk_bytes       views[64];
    const stk_shape shape = stk_shape_1d((int64_t)count);
    assert_true(count <= COUNT_OF(views));
    for (size_t i = 0; i < count; i++)
        views[i] = stk_bytes_text(texts[i]);
    EXPECT_OK(stk_value_strings(&value, NULL, &shape, views, &err));
    return value;
}

static inline stk_value stk_test_scalar(int64_t number)
{
    stk_value value;
    stk_value_i64(&value, number);
    return value;
}

/* Takes the values over. */
static inline stk_element *stk_test_element(size_t count, const stk_value *values)
{
    stk_error    err;
    stk_element *element;
    EXPECT_OK(stk_element_new(&element, count, &err));
    for (size_t i = 0; i < count; i++)
        *stk_element_edit(element, i) = values[i];
    return element;
}

/* Takes the elements over. */
static inline stk_dataset *stk_test_data(size_t count, stk_element *const *elements)
{
    stk_error    err;
    stk_dataset *data;
    EXPECT_OK(stk_dataset_elements(&data, elements, count, &err));
    for (size_t i = 0; i < count; i++)
        stk_element_unref(elements[i]);
    return data;
}

#define NUMBERS_OF(...) ((const int64_t[]){__VA_ARGS__})
#define HOW_MANY(type, ...) (sizeof((type[]){__VA_ARGS__}) / sizeof(type))
#define VECTOR(...)                                                                                \
    stk_test_tensor(stk_shape_1d((int64_t)HOW_MANY(int64_t, __VA_ARGS__)), NUMBERS_OF(__VA_ARGS__))
#define EMPTY_VECTOR() stk_test_tensor(stk_shape_1d(0), NULL)
#define MATRIX(rows, columns, ...)                                                                 \
    stk_test_tensor(stk_shape_2d((rows), (columns)), NUMBERS_OF(__VA_ARGS__))
#define STRINGS(...)                                                                               \
    stk_test_strings(HOW_MANY(const char *, __VA_ARGS__), (const char *const[]){__VA_ARGS__})
#define SCALAR(number) stk_test_scalar(number)
#define ELEMENT(...)                                                                               \
    stk_test_element(HOW_MANY(stk_value, __VA_ARGS__), (const stk_value[]){__VA_ARGS__})
#define DATA(...)                                                                                  \
    stk_test_data(HOW_MANY(stk_element *, __VA_ARGS__), (stk_element *const[]){__VA_ARGS__})

/* The first element of data, whose reference it takes over. */
static inline stk_element *stk_test_first(stk_dataset *data)
{
    stk_error     err;
    stk_iterator *it;
    stk_element  *element;
    EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
    EXPECT_OK(stk_iterator_next(it, &element, &err));
    assert_non_null(element);
    stk_iterator_free(it);
    stk_dataset_unref(data);
    return element;
}

/* Expects the first result of data, whose reference it takes over, to be an error of status that
 * says part. */
static inline void stk_test_fails(stk_dataset *data, stk_status status, const char *part)
{
    stk_error     err;
    stk_iterator *it;
    stk_element  *element;
    EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
    EXPECT_STATUS(status, stk_iterator_next(it, &element, &err));
    EXPECT_CONTAINS(part, err.message);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

/* APPLY for tests that have an err of their own. */
#define PUT(data, op, ...) EXPECT_OK(stk_dataset_##op(&(data), __VA_ARGS__, &err))

/* All of data with one thread and no passes, for runs whose allocations fail one by one. Takes over
 * the reference. */
static inline stk_status stk_test_drain(stk_dataset *data, stk_error *err)
{
    const stk_iterator_options options = {.threads = 1, .seed = 7, .passes_off = STK_PASS_ALL};
    stk_iterator              *it;
    stk_status                 st = stk_iterator_start(&it, data, &options, err);
    stk_dataset_unref(data);
    for (bool more = true; !st && more;) {
        stk_element *element;
        st = stk_iterator_next(it, &element, err);
        more = !st && element;
        if (!st) stk_element_unref(element);
    }
    stk_iterator_free(it);
    return st;
}

/* Runs made up of building a pipeline and draining it, with a checkpoint in the middle. */
static inline stk_status stk_test_save_and_drain(stk_dataset *data, size_t taken, stk_error *err)
{
    const stk_iterator_options options = {.threads = 1, .seed = 7, .passes_off = STK_PASS_ALL};
    stk_iterator              *it;
    stk_blob                   saved;
    stk_blob_init(&saved, NULL, STK_MEMORY_INDEX);
    stk_status st = stk_iterator_start(&it, data, &options, err);
    for (size_t i = 0; i < taken && !st; i++) {
        stk_element *element;
        st = stk_iterator_next(it, &element, err);
        if (!st) stk_element_unref(element);
    }
    if (!st) st = stk_iterator_save(it, &saved, err);
    if (!st) st = stk_iterator_restore(it, stk_blob_bytes(&saved), err);
    stk_iterator_free(it);
    stk_blob_release(&saved);
    stk_dataset_unref(data);
    return st;
}

#endif
