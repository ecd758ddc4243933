/* Values: made, and shown to people. */
#include "harness.h"

#include <stdio.h>
#include <string.h>

enum { CAPACITY = 400 };

static void expect_text(const char *expected, stk_value *value)
{
    char text[CAPACITY];
    EXPECT_STR_EQ(expected, stk_value_text(value, text, sizeof text));
    stk_value_release(value);
    EXPECT_INT_EQ(0, value->dtype);
}

STK_TEST(scalars_of_every_type_can_be_made)
{
    stk_value value;
    stk_error err;
    stk_value_u8(&value, 255);
    expect_text("uint8 255", &value);
    stk_value_i8(&value, -128);
    expect_text("int8 -128", &value);
    stk_value_i32(&value, INT32_MIN);
    expect_text("int32 -2147483648", &value);
    stk_value_i64(&value, INT64_MIN);
    expect_text("int64 -9223372036854775808", &value);
    stk_value_f16(&value, 1.0f / 3);
    expect_text("float16 0.333252", &value);
    stk_value_bf16(&value, 1.0f / 3);
    expect_text("bfloat16 0.333984", &value);
    stk_value_f32(&value, 0.1f);
    expect_text("float32 0.1", &value);
    stk_value_f64(&value, -1e300);
    expect_text("float64 -1e+300", &value);
    stk_value_bool(&value, true);
    expect_text("bool true", &value);
    EXPECT_OK(stk_value_bytes(&value, NULL, stk_bytes_text("a \"b\""), &err));
    expect_text("bytes \"a \\\"b\\\"\"", &value);
}

static stk_value numbers_of(const int64_t *numbers, int64_t count)
{
    return (stk_value){.kind = STK_VALUE_DENSE,
                       .dtype = STK_DTYPE_I64,
                       .shape = stk_shape_1d(count),
                       .data = numbers};
}

STK_TEST(ragged_values_are_made_of_flat_ones_and_splits)
{
    static const int64_t numbers[] = {1, 2, 3}, splits[] = {0, 1, 1, 3},
                         nested[] = {0, 2, 2, 0, 1, 3};
    const stk_value flat = numbers_of(numbers, 3);
    stk_value       value;
    stk_error       err;
    EXPECT_OK(stk_value_ragged(&value, NULL, &flat, splits, 4, 3, 1, &err));
    EXPECT(value.splits_or_indices != splits && stk_value_data(&value) != numbers);
    expect_text("ragged int64, 3 rows: [1] [] [2 3]", &value);
    EXPECT_OK(stk_value_ragged(&value, NULL, &flat, nested, 6, 2, 2, &err));
    expect_text("ragged int64, 2 rows: [[1] [2 3]] []", &value);
    EXPECT_OK(stk_value_ragged(&value, NULL, &(stk_value){.dtype = STK_DTYPE_F32, .shape.rank = 1},
                               splits, 1, 0, 1, &err));
    expect_text("ragged float32, 0 rows:", &value);
}

STK_TEST(splits_that_are_none_are_refused)
{
    static const int64_t numbers[] = {1, 2, 3}, splits[] = {0, 1, 1, 3}, falls[] = {0, 2, 1, 3},
                         late[] = {1, 1, 1, 3}, shorter[] = {0, 1, 1, 2};
    const stk_value flat = numbers_of(numbers, 3), scalar = {.dtype = STK_DTYPE_I64},
                    none = {.shape.rank = 1};
    const struct {
        const stk_value *flat;
        const int64_t   *splits;
        size_t           split_count;
        int64_t          rows;
        int              levels;
    } cases[] = {
        {&flat, falls, 4, 3, 1},    {&flat, late, 4, 3, 1},   {&flat, shorter, 4, 3, 1},
        {&flat, splits, 3, 3, 1},   {&flat, splits, 4, 2, 1}, {&flat, splits, 4, -1, 1},
        {&flat, splits, 4, 3, 0},   {&flat, splits, 4, 3, 9}, {&flat, splits, 4, 3, 2},
        {&scalar, splits, 4, 3, 1}, {&none, splits, 4, 3, 1}, {&flat, splits, 4, INT64_MAX, 1},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        stk_value value = {.count = 7};
        stk_error err;
        EXPECT_STATUS(STK_E_INVALID,
                      stk_value_ragged(&value, NULL, cases[i].flat, cases[i].splits,
                                       cases[i].split_count, cases[i].rows, cases[i].levels, &err));
        EXPECT(!value.count && !value.storage);
    }
}

STK_TEST(sparse_values_are_made_of_flat_ones_and_indices)
{
    static const int64_t numbers[] = {5, 6}, splits_or_indices[] = {0, 1, 2, 4},
                         outside[] = {0, 1, 3, 0};
    const stk_shape shape = stk_shape_2d(3, 5), odd = stk_shape_2d(-1, 5);
    const stk_value flat = numbers_of(numbers, 2);
    stk_value       value;
    stk_error       err;
    EXPECT_OK(stk_value_sparse(&value, NULL, &flat, &shape, splits_or_indices, 2, &err));
    expect_text("sparse int64[3,5], 2 given (0,1) 5 (2,4) 6", &value);
    EXPECT_STATUS(STK_E_INVALID, stk_value_sparse(&value, NULL, &flat, &shape, outside, 2, &err));
    EXPECT_STATUS(STK_E_INVALID,
                  stk_value_sparse(&value, NULL, &flat, &odd, splits_or_indices, 2, &err));
    EXPECT_STATUS(STK_E_INVALID,
                  stk_value_sparse(&value, NULL, &flat, &shape, splits_or_indices, 3, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_value_sparse(&value, NULL, &flat, &(stk_shape){.rank = 99},
                                                  splits_or_indices, 2, &err));
    EXPECT_OK(stk_value_sparse(&value, NULL, &(stk_value){.dtype = STK_DTYPE_I64, .shape.rank = 1},
                               &shape, NULL, 0, &err));
    expect_text("sparse int64[3,5], 0 given", &value);
}

STK_TEST(much_is_cut)
{
    int64_t         numbers[20];
    const stk_shape shape = stk_shape_2d(4, 5);
    char            long_text[100];
    stk_value       value;
    stk_error       err;
    void           *data;
    for (int i = 0; i < 20; i++)
        numbers[i] = i;
    EXPECT_OK(stk_value_dense(&value, NULL, STK_DTYPE_I64, &shape, &data, &err));
    memcpy(data, numbers, sizeof numbers);
    expect_text("int64[4,5] 0 1 2 3 4 5 6 7 ...", &value);
    memset(long_text, 'x', sizeof long_text);
    EXPECT_OK(stk_value_bytes(&value, NULL, stk_bytes_of(long_text, sizeof long_text), &err));
    expect_text("bytes \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"... (100 bytes)", &value);
    const int64_t   ones[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    const stk_value flat = numbers_of(numbers, 0);
    EXPECT_OK(stk_value_ragged(&value, NULL, &flat, ones, 11, 10, 1, &err));
    expect_text("ragged int64, 10 rows: [] [] [] [] [] [] [] [] ...", &value);
}

static stk_element *two_values(void)
{
    stk_element *element;
    stk_error    err;
    EXPECT_OK(stk_element_new(&element, 2, &err));
    EXPECT_OK(stk_value_bytes(stk_element_edit(element, 0), NULL,
                              stk_bytes_text("\x1b[31m\xe2\x80\xae\xff \xc3\xa4"), &err));
    stk_value_i64(stk_element_edit(element, 1), 7);
    return element;
}

STK_TEST(elements_are_shown_with_names_and_without_what_a_terminal_obeys)
{
    const stk_value_spec   values[] = {{.name = "na\nme"}, {.name = "label"}};
    const stk_element_spec spec = {true, 2, values}, other = {true, 1, values};
    char                   text[CAPACITY];
    stk_element           *element = two_values();
    EXPECT_STR_EQ("na\\x0Ame: bytes \"\\x1B[31m\\xE2\\x80\\xAE\\xFF \xc3\xa4\", label: int64 7",
                  stk_element_text(element, &spec, text, sizeof text));
    EXPECT_CONTAINS(", 1: int64 7", stk_element_text(element, NULL, text, sizeof text));
    EXPECT_CONTAINS(", 1: int64 7", stk_element_text(element, &other, text, sizeof text));
    stk_element_unref(element);
}

STK_TEST(text_of_an_element_keeps_to_its_room)
{
    stk_element *element = two_values();
    char         whole[CAPACITY], text[CAPACITY];
    stk_element_text(element, NULL, whole, sizeof whole);
    for (int capacity = 1; capacity < CAPACITY; capacity++) {
        memset(text, '#', sizeof text);
        EXPECT(stk_element_text(element, NULL, text, capacity) == text);
        EXPECT(strlen(text) < (size_t)capacity);
        EXPECT(text[capacity] == '#');
        EXPECT(memcmp(text, whole, strlen(text)) == 0);
    }
    text[0] = '#';
    stk_element_text(element, NULL, text, 0);
    EXPECT(text[0] == '#');
    stk_element_unref(element);
}
