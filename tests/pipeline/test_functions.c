#include "pipeline_support.h"

#include "pipeline/functions/origin.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Elements by hand. */

static stk_element *element_of(size_t count)
{
    stk_element *element;
    stk_error    err;
    EXPECT_OK(stk_element_new(&element, count, &err));
    return element;
}

static stk_element *number(int64_t n)
{
    stk_element *element = element_of(1);
    stk_value_i64(stk_element_edit(element, 0), n);
    return element;
}

static stk_element *text(const char *string)
{
    stk_element *element = element_of(1);
    stk_error    err;
    EXPECT_OK(stk_value_bytes(stk_element_edit(element, 0), NULL, stk_bytes_text(string), &err));
    return element;
}

static stk_element *vector(stk_dtype dtype, size_t count, const void *numbers)
{
    stk_element    *element = element_of(1);
    const stk_shape shape = stk_shape_1d((int64_t)count);
    void           *data;
    stk_error       err;
    EXPECT_OK(stk_value_dense(stk_element_edit(element, 0), NULL, dtype, &shape, &data, &err));
    if (count) memcpy(data, numbers, count * stk_dtype_bytes(dtype));
    return element;
}

/* Calls and frees a map function; element is taken over, and so is the result by the next call. */
static stk_status call_map(stk_function *function, stk_element **element, stk_error *err)
{
    const stk_function_info *info = stk_function_info_of(function);
    const stk_call           call = {.seed = 1};
    *err = (stk_error){0};
    stk_status st = info->map(info->context, &call, element, err);
    stk_function_unref(function);
    return st;
}

#define MAKE(name, ...)                                                                            \
    __extension__({                                                                                \
        stk_function *made_;                                                                       \
        stk_error     err_of_make_;                                                                \
        assert_int_equal(STK_OK, stk_function_##name(&made_, __VA_ARGS__, &err_of_make_));         \
        made_;                                                                                     \
    })

/* A stage on top; the test's own err is not needed. */
#define STAGE(data, op, ...)                                                                       \
    do {                                                                                           \
        stk_error err_of_stage_;                                                                   \
        assert_int_equal(STK_OK, stk_dataset_##op(&(data), __VA_ARGS__, &err_of_stage_));          \
    } while (0)

#define MAKE_PLAIN(name)                                                                           \
    __extension__({                                                                                \
        stk_function *made_;                                                                       \
        stk_error     err_of_make_;                                                                \
        assert_int_equal(STK_OK, stk_function_##name(&made_, &err_of_make_));                      \
        made_;                                                                                     \
    })

/* The results of a map on one element, as text. */
static void expect_maps(const char *expected, stk_function *function, stk_element *element)
{
    stk_error    err;
    stk_dataset *data;
    EXPECT_OK(call_map(function, &element, &err));
    EXPECT_OK(stk_dataset_elements(&data, &element, 1, &err));
    char with_end[512];
    snprintf(with_end, sizeof with_end, "%s .", expected);
    EXPECT_STR_EQ(with_end, stk_test_run(data, NULL, 0));
    stk_dataset_unref(data);
    stk_element_unref(element);
}

static void expect_fails(stk_status status, const char *message, stk_function *function,
                         stk_element *element)
{
    stk_error err;
    EXPECT_STATUS(status, call_map(function, &element, &err));
    EXPECT_CONTAINS(message, err.message);
    stk_element_unref(element);
}

static stk_function *arithmetic(stk_arithmetic op, int64_t n)
{
    return MAKE(arithmetic, op, STK_ALL_VALUES, stk_number_integer(n));
}

static stk_function *real(stk_arithmetic op, double n)
{
    return MAKE(arithmetic, op, 0, stk_number_float(n));
}

STK_TEST(arithmetic_rounds_down_and_keeps_the_divisors_sign)
{
    const int64_t n[] = {-7, -6, -1, 0, 1, 6, 7};
#define N vector(STK_DTYPE_I64, 7, n)
    expect_maps("[-5 -4 1 2 3 8 9]", arithmetic(STK_ARITHMETIC_ADD, 2), N);
    expect_maps("[-9 -8 -3 -2 -1 4 5]", arithmetic(STK_ARITHMETIC_SUBTRACT, 2), N);
    expect_maps("[14 12 2 0 -2 -12 -14]", arithmetic(STK_ARITHMETIC_MULTIPLY, -2), N);
    expect_maps("[-3 -2 -1 0 0 2 2]", arithmetic(STK_ARITHMETIC_FLOOR_DIVIDE, 3), N);
    expect_maps("[2 2 0 0 -1 -2 -3]", arithmetic(STK_ARITHMETIC_FLOOR_DIVIDE, -3), N);
    expect_maps("[2 0 2 0 1 0 1]", arithmetic(STK_ARITHMETIC_MODULO, 3), N);
    expect_maps("[-1 0 -1 0 -2 0 -2]", arithmetic(STK_ARITHMETIC_MODULO, -3), N);
    expect_maps("[-7 -6 -1 0 0 0 0]", arithmetic(STK_ARITHMETIC_MINIMUM, 0), N);
    expect_maps("[0 0 0 0 1 6 7]", arithmetic(STK_ARITHMETIC_MAXIMUM, 0), N);
}

STK_TEST(arithmetic_on_reals_is_as_in_python)
{
    const float f[] = {-7.5f, 7.5f, -0.5f};
#define F vector(STK_DTYPE_F32, 3, f)
    expect_maps("[-4 3 -1]", real(STK_ARITHMETIC_FLOOR_DIVIDE, 2), F);
    expect_maps("[0.5 1.5 1.5]", real(STK_ARITHMETIC_MODULO, 2), F);
    expect_maps("[-1.5 -0.5 -0.5]", real(STK_ARITHMETIC_MODULO, -2), F);
    expect_maps("[-7 8 0]", real(STK_ARITHMETIC_ADD, 0.5), F);
    const double d[] = {NAN, 1, 3};
    expect_maps("[nan 1 2]", real(STK_ARITHMETIC_MINIMUM, 2), vector(STK_DTYPE_F64, 3, d));
    expect_maps("[nan 2 3]", real(STK_ARITHMETIC_MAXIMUM, 2), vector(STK_DTYPE_F64, 3, d));
    expect_maps("[-inf inf -inf]", real(STK_ARITHMETIC_FLOOR_DIVIDE, 0), F);
}

STK_TEST(whole_numbers_wrap_around_and_never_trap)
{
    const int64_t n[] = {INT64_MIN, INT64_MAX};
    const uint8_t b[] = {0, 250, 255};
    const int32_t i[] = {INT32_MIN, INT32_MAX};
    expect_maps("[9223372036854775807 9223372036854775806]", arithmetic(STK_ARITHMETIC_SUBTRACT, 1),
                vector(STK_DTYPE_I64, 2, n));
    expect_maps("[-9223372036854775808 -9223372036854775807]",
                arithmetic(STK_ARITHMETIC_FLOOR_DIVIDE, -1), vector(STK_DTYPE_I64, 2, n));
    expect_maps("[0 0]", arithmetic(STK_ARITHMETIC_MODULO, -1), vector(STK_DTYPE_I64, 2, n));
    expect_maps("[10 4 9]", arithmetic(STK_ARITHMETIC_ADD, 10), vector(STK_DTYPE_U8, 3, b));
    expect_maps("[2147483647 2147483646]", arithmetic(STK_ARITHMETIC_SUBTRACT, 1),
                vector(STK_DTYPE_I32, 2, i));
    expect_maps("[-2147483648 -2147483647]", arithmetic(STK_ARITHMETIC_FLOOR_DIVIDE, -1),
                vector(STK_DTYPE_I32, 2, i));
}

STK_TEST(arithmetic_refuses_what_makes_no_sense)
{
    const uint8_t b[] = {1};
    expect_fails(STK_E_INVALID, "cannot be divided by 0",
                 arithmetic(STK_ARITHMETIC_FLOOR_DIVIDE, 0), number(1));
    expect_fails(STK_E_INVALID, "cannot be divided by 0", arithmetic(STK_ARITHMETIC_MODULO, 0),
                 number(1));
    expect_fails(STK_E_TYPE, "number is 0.5 but the value is int64: cast",
                 real(STK_ARITHMETIC_ADD, 0.5), number(1));
    expect_fails(STK_E_INVALID, "256, which uint8 cannot hold", arithmetic(STK_ARITHMETIC_ADD, 256),
                 vector(STK_DTYPE_U8, 1, b));
    expect_fails(STK_E_TYPE, "is bytes; it must be uint8, int32, int64, float32 or float64",
                 arithmetic(STK_ARITHMETIC_ADD, 1), text("a"));
    expect_fails(STK_E_RANGE, "value 3 was asked for; elements have 1",
                 MAKE(arithmetic, STK_ARITHMETIC_ADD, 3, stk_number_integer(1)), number(1));
    stk_function *made;
    stk_error     err;
    EXPECT_STATUS(STK_E_INVALID, stk_function_arithmetic(&made, STK_ARITHMETIC_COUNT, 0,
                                                         stk_number_integer(1), &err));
    EXPECT(!made);
}

STK_TEST(a_shared_value_is_copied_before_it_is_changed)
{
    const int64_t n[] = {1, 2, 3, 4};
    stk_element  *mine = vector(STK_DTYPE_I64, 4, n), *other = stk_element_ref(mine);
    stk_error     err;
    EXPECT_OK(call_map(arithmetic(STK_ARITHMETIC_ADD, 1), &mine, &err));
    EXPECT_MEM_EQ(n, stk_value_data(stk_element_value(other, 0)), sizeof n);
    const void *before = stk_value_data(stk_element_value(mine, 0));
    EXPECT_OK(call_map(arithmetic(STK_ARITHMETIC_ADD, 1), &mine, &err));
    EXPECT(before == stk_value_data(stk_element_value(mine, 0))); /* alone: in place */
    EXPECT_INT_EQ(3, *(const int64_t *)before);
    stk_element_unref(mine);
    stk_element_unref(other);
}

STK_TEST(arithmetic_is_a_stage_whose_type_is_checked_when_it_is_made)
{
    stk_dataset  *data = RANGE(5);
    stk_function *add = arithmetic(STK_ARITHMETIC_ADD, 1);
    STAGE(data, map, add, NULL);
    EXPECT_INT_EQ(STK_DTYPE_I64, stk_dataset_spec(data)->values[0].dtype);
    stk_function *half = real(STK_ARITHMETIC_ADD, 0.5);
    stk_error     err;
    EXPECT_STATUS(STK_E_TYPE, stk_dataset_map(&data, half, NULL, &err));
    EXPECT_GIVES("1 2 3 4 5 .", data);
    stk_function_unref(add);
    stk_function_unref(half);
}

STK_TEST(cast_converts_stops_at_the_ends_and_cuts)
{
    const float   f[] = {-1.9f, 1.9f, 300, -300, NAN, INFINITY};
    const int64_t n[] = {-1, 0, 257, INT64_C(1) << 40};
    expect_maps("[0 1 255 0 0 255]", MAKE(cast, 0, STK_DTYPE_U8), vector(STK_DTYPE_F32, 6, f));
    expect_maps("[-1 1 127 -128 0 127]", MAKE(cast, 0, STK_DTYPE_I8), vector(STK_DTYPE_F32, 6, f));
    expect_maps("[-1 1 300 -300 0 9223372036854775807]", MAKE(cast, 0, STK_DTYPE_I64),
                vector(STK_DTYPE_F32, 6, f));
    expect_maps("[255 0 1 0]", MAKE(cast, 0, STK_DTYPE_U8), vector(STK_DTYPE_I64, 4, n));
    expect_maps("[true false true true]", MAKE(cast, 0, STK_DTYPE_BOOL),
                vector(STK_DTYPE_I64, 4, n));
    expect_maps("[-1 0 257 1.09951e+12]", MAKE(cast, STK_ALL_VALUES, STK_DTYPE_F32),
                vector(STK_DTYPE_I64, 4, n));
    const uint8_t b[] = {0, 7, 255};
    expect_maps("[0 7 255]", MAKE(cast, 0, STK_DTYPE_F32), vector(STK_DTYPE_U8, 3, b));
    expect_fails(STK_E_TYPE, "is bytes", MAKE(cast, 0, STK_DTYPE_F32), text("a"));
    stk_function *made;
    stk_error     err;
    EXPECT_STATUS(STK_E_UNSUPPORTED, stk_function_cast(&made, 0, STK_DTYPE_BYTES, &err));
    EXPECT_CONTAINS("cannot be cast to bytes", err.message);
}

STK_TEST(cast_shows_its_type_in_the_spec_and_keeps_names_and_shape)
{
    stk_dataset  *data = RANGE(3);
    stk_function *cast = MAKE(cast, 0, STK_DTYPE_F32);
    STAGE(data, batch, 2, &(stk_batch_options){.drop_remainder = true});
    STAGE(data, map, cast, NULL);
    const stk_element_spec *spec = stk_dataset_spec(data);
    EXPECT_INT_EQ(STK_DTYPE_F32, spec->values[0].dtype);
    EXPECT_INT_EQ(2, spec->values[0].shape.dim[0]);
    EXPECT_GIVES("[0 1] .", data);
    stk_function_unref(cast);
}

STK_TEST(check_finite_names_the_value_and_the_place)
{
    const float good[] = {1, 2, FLT_MAX}, bad[] = {1, 2, INFINITY};
    expect_maps("[1 2 3.40282e+38]", MAKE(check_finite, STK_ALL_VALUES),
                vector(STK_DTYPE_F32, 3, good));
    expect_fails(STK_E_INVALID, "value 0 is inf at place 2 of 3", MAKE(check_finite, 0),
                 vector(STK_DTYPE_F32, 3, bad));
    expect_maps("'text'", MAKE(check_finite, STK_ALL_VALUES), text("text"));
    expect_fails(STK_E_RANGE, "value 1 was asked for", MAKE(check_finite, 1), text("text"));
}

static stk_element *pair(int64_t a, const char *b)
{
    stk_element *element = element_of(2);
    stk_error    err;
    stk_value_i64(stk_element_edit(element, 0), a);
    EXPECT_OK(stk_value_bytes(stk_element_edit(element, 1), NULL, stk_bytes_text(b), &err));
    return element;
}

STK_TEST(select_takes_values_by_number_and_by_name)
{
    stk_error    err;
    stk_element *element = pair(3, "ab");
    stk_dataset *data;
    EXPECT_OK(stk_dataset_elements(&data, &element, 1, &err));
    stk_element_unref(element);
    stk_function *rename = MAKE(rename, (const char *[]){"label", "image"}, 2);
    STAGE(data, map, rename, NULL);
    EXPECT_INT_EQ(1, stk_element_spec_find(stk_dataset_spec(data), "image"));
    stk_function *select =
        MAKE(select_named, stk_dataset_spec(data), (const char *[]){"image", "label", "image"}, 3);
    STAGE(data, map, select, NULL);
    EXPECT_INT_EQ(STK_DTYPE_BYTES, stk_dataset_spec(data)->values[0].dtype);
    stk_function *none;
    EXPECT_STATUS(STK_E_NOTFOUND, stk_function_select_named(&none, stk_dataset_spec(data),
                                                            &(const char *){"mask"}, 1, &err));
    EXPECT_GIVES("('ab' 3 'ab') .", data);
    stk_function_unref(rename);
    stk_function_unref(select);
    expect_fails(STK_E_RANGE, "value 2 was asked for; elements have 2",
                 MAKE(select, (int[]){0, 2}, 2), pair(1, "x"));
    EXPECT_STATUS(STK_E_INVALID, stk_function_select(&none, (int[]){0}, 0, &err));
    EXPECT_STATUS(STK_E_RANGE, stk_function_select(&none, (int[]){-1}, 1, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_function_rename(&none, (const char *[]){"a", "a"}, 2, &err));
    EXPECT_CONTAINS("same name", err.message);
}

STK_TEST(rename_needs_a_name_for_every_value)
{
    stk_dataset  *data = RANGE(3);
    stk_function *rename = MAKE(rename, (const char *[]){"a", "b"}, 2);
    stk_error     err;
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_map(&data, rename, NULL, &err));
    EXPECT_CONTAINS("2 names were given; elements have 1", err.message);
    stk_function_unref(rename);
    stk_dataset_unref(data);
}

STK_TEST(fill_makes_vectors_of_a_number)
{
    stk_dataset  *data = RANGE(4);
    stk_function *fill = MAKE(fill, 0);
    STAGE(data, map, fill, NULL);
    EXPECT_INT_EQ(-1, stk_dataset_spec(data)->values[0].shape.dim[0]);
    EXPECT_GIVES("[] [1] [2 2] [3 3 3] .", data);
    stk_function_unref(fill);
    expect_fails(STK_E_INVALID, "negative length", MAKE(fill, 0), number(-1));
    expect_fails(STK_E_TYPE, "is bytes; it must be int64", MAKE(fill, 0), text("1"));
}

STK_TEST(numbers_become_text_and_text_numbers)
{
    stk_dataset  *data = NUMBERS(0, -12, INT64_MAX, INT64_MIN);
    stk_function *to = MAKE(to_text, 0), *from = MAKE(parse_number, 0);
    STAGE(data, map, to, NULL);
    EXPECT_INT_EQ(STK_DTYPE_BYTES, stk_dataset_spec(data)->values[0].dtype);
    STAGE(data, map, from, NULL);
    EXPECT_GIVES("0 -12 9223372036854775807 -9223372036854775808 .", data);
    stk_function_unref(to);
    stk_function_unref(from);
    expect_maps("'-12'", MAKE(to_text, 0), number(-12));
    expect_maps("7", MAKE(parse_number, 0), text(" +7\t"));
    static const char *const wrong[] = {"", " ", "-", "1x", "1 2", "9223372036854775808", "0x1"};
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        expect_fails(STK_E_FORMAT, "is no whole number", MAKE(parse_number, 0), text(wrong[i]));
}

STK_TEST(decode_raw_reads_numbers_in_place_where_they_lie_aligned)
{
    const int32_t n[] = {1, -2, 3, 4, 5};
    stk_element  *element = element_of(1);
    stk_error     err;
    EXPECT_OK(stk_value_bytes(stk_element_edit(element, 0), NULL, stk_bytes_of(n, sizeof n), &err));
    stk_element *kept = stk_element_ref(element);
    EXPECT_OK(call_map(MAKE(decode_raw, 0, STK_DTYPE_I32), &element, &err));
    const stk_value *value = stk_element_value(element, 0);
    EXPECT_INT_EQ(5, value->shape.dim[0]);
    EXPECT_MEM_EQ(n, stk_value_data(value), sizeof n);
    EXPECT(stk_value_data(value) == (const void *)stk_element_value(kept, 0)->small.view.data);
    stk_element_unref(element);
    stk_element_unref(kept);
    /* One byte further nothing is aligned: copied. */
    const uint8_t *odd = (const uint8_t *)"x\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0\5\0\0\0";
    element = element_of(1);
    stk_value_view(stk_element_edit(element, 0), stk_bytes_of(odd + 1, 20), NULL);
    expect_maps("[1 2 3 4 5]", MAKE(decode_raw, 0, STK_DTYPE_I32), element);
    expect_maps("[]", MAKE(decode_raw, 0, STK_DTYPE_F64), text(""));
    expect_maps("[97 98]", MAKE(decode_raw, 0, STK_DTYPE_U8), text("ab"));
    expect_fails(STK_E_SHAPE, "3 bytes, which is no multiple of the 2 of float16",
                 MAKE(decode_raw, 0, STK_DTYPE_F16), text("abc"));
    stk_function *none;
    EXPECT_STATUS(STK_E_INVALID, stk_function_decode_raw(&none, 0, STK_DTYPE_BYTES, &err));
}

STK_TEST(read_file_gives_bytes_and_names_the_file_that_is_missing)
{
    const char *path = stk_test_path("image");
    stk_test_write_file(path, "content", 7);
    stk_test_write_file(stk_test_path("empty"), "", 0);
    expect_maps("'content'", MAKE(read_file, 0, NULL), text(path));
    char folder[4096];
    snprintf(folder, sizeof folder, "%.*s", (int)(strlen(path) - strlen("/image")), path);
    const stk_read_file_options below = {.folder = folder, .limit_bytes = 7};
    expect_maps("'content'", MAKE(read_file, 0, &below), text("image"));
    expect_maps("''", MAKE(read_file, 0, &below), text("empty"));
    const stk_read_file_options small = {.folder = folder, .limit_bytes = 6};
    expect_fails(STK_E_LIMIT, "7 bytes; the limit is 6", MAKE(read_file, 0, &small), text("image"));
    stk_element *element = text("gone");
    stk_error    err;
    EXPECT_STATUS(STK_E_NOTFOUND, call_map(MAKE(read_file, 0, &below), &element, &err));
    EXPECT_CONTAINS("/gone", err.where);
    stk_element_unref(element);
    expect_fails(STK_E_INVALID, "is empty", MAKE(read_file, 0, NULL), text(""));
    element = element_of(1);
    stk_value_view(stk_element_edit(element, 0), stk_bytes_of("a\0b", 3), NULL);
    expect_fails(STK_E_INVALID, "zero byte", MAKE(read_file, 0, NULL), element);
}

STK_TEST(read_file_gives_the_element_its_origin)
{
    const char  *path = stk_test_path("named");
    stk_element *element = text(path);
    stk_error    err;
    char         where[4096];
    stk_test_write_file(path, "x", 1);
    EXPECT_OK(call_map(MAKE(read_file, 0, NULL), &element, &err));
    EXPECT_CONTAINS("/named: record 0", stk_element_where(element, where, sizeof where));
    stk_element_unref(element);
}

/* Made anew for every run: a second iterator of one dataset draws other numbers. */
static const char *draw(int threads)
{
    stk_dataset  *data = RANGE(200);
    stk_function *random = MAKE(random_uniform, -1, 1);
    STAGE(data, map, random, NULL);
    stk_function_unref(random);
    EXPECT_INT_EQ(2, stk_dataset_spec(data)->count);
    EXPECT_STR_EQ("random", stk_dataset_spec(data)->values[1].name);
    const char *drawn =
        stk_test_run(data, &(stk_iterator_options){.threads = threads, .seed = 7}, 0);
    stk_dataset_unref(data);
    return drawn;
}

STK_TEST(random_numbers_are_in_range_and_the_same_on_any_number_of_threads)
{
    double      sum = 0;
    const char *drawn = draw(1);
    EXPECT_STR_EQ(drawn, draw(2));
    EXPECT_STR_EQ(drawn, draw(8));
    for (const char *at = drawn; (at = strchr(at, '(')); at++) {
        const double x = strtod(strchr(at, ' '), NULL);
        EXPECT(x >= -1 && x < 1);
        sum += x;
    }
    EXPECT(fabs(sum / 200) < 0.2);
    stk_function *none;
    stk_error     err;
    EXPECT_STATUS(STK_E_INVALID, stk_function_random_uniform(&none, 1, 1, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_function_random_uniform(&none, 0, (double)INFINITY, &err));
}

static bool holds(stk_function *function, stk_element *element)
{
    const stk_function_info *info = stk_function_info_of(function);
    const stk_call           call = {0};
    stk_error                err;
    bool                     keep;
    EXPECT_OK(info->test(info->context, &call, element, &keep, &err));
    stk_element_unref(element);
    stk_function_unref(function);
    return keep;
}

STK_TEST(compare_knows_every_relation)
{
    static const bool expected[STK_RELATION_COUNT][3] = {
        {true, false, false}, {true, true, false}, {false, true, false},
        {true, false, true},  {false, true, true}, {false, false, true}};
    for (int r = 0; r < STK_RELATION_COUNT; r++)
        for (int i = 0; i < 3; i++) {
            EXPECT_INT_EQ(
                expected[r][i],
                holds(MAKE(compare, 0, 0, (stk_relation)r, stk_number_integer(4)), number(3 + i)));
            const float f = 3 + (float)i;
            EXPECT_INT_EQ(expected[r][i],
                          holds(MAKE(compare, 0, 0, (stk_relation)r, stk_number_float(4)),
                                vector(STK_DTYPE_F32, 1, &f)));
        }
    /* 2^62 + 1 is no double. */
    const int64_t big = (INT64_C(1) << 62) + 1;
    EXPECT(
        !holds(MAKE(compare, 0, 0, STK_RELATION_EQUAL, stk_number_integer(big - 1)), number(big)));
    EXPECT(holds(MAKE(compare, 0, 3, STK_RELATION_EQUAL, stk_number_integer(2)), number(-1)));
}

STK_TEST(compare_filters_and_refuses_vectors)
{
    stk_dataset  *data = RANGE(10);
    stk_function *third = MAKE(compare, 0, 3, STK_RELATION_EQUAL, stk_number_integer(0));
    STAGE(data, filter, third);
    EXPECT_GIVES("0 3 6 9 .", data);
    stk_function_unref(third);
    stk_function            *less = MAKE(compare, 0, 0, STK_RELATION_LESS, stk_number_integer(4));
    const stk_function_info *info = stk_function_info_of(less);
    const stk_call           call = {0};
    const int64_t            two[] = {1, 2};
    stk_element             *element = vector(STK_DTYPE_I64, 2, two);
    stk_error                err;
    bool                     keep;
    EXPECT_STATUS(STK_E_SHAPE, info->test(info->context, &call, element, &keep, &err));
    EXPECT_CONTAINS("shape [2]; only one number", err.message);
    stk_element_unref(element);
    stk_function *none;
    EXPECT_STATUS(STK_E_INVALID, stk_function_compare(&none, 0, -1, STK_RELATION_LESS,
                                                      stk_number_integer(1), &err));
    stk_function_unref(less);
}

static stk_status key_of(stk_function *function, stk_element *element, int64_t *key, stk_error *err)
{
    const stk_function_info *info = stk_function_info_of(function);
    const stk_call           call = {0};
    stk_status               st = info->key(info->context, &call, element, key, err);
    stk_element_unref(element);
    stk_function_unref(function);
    return st;
}

STK_TEST(keys_are_lengths_values_and_remainders)
{
    const int64_t n[] = {5, 6, 7};
    stk_error     err;
    int64_t       key;
    EXPECT_OK(key_of(MAKE(length, 0), vector(STK_DTYPE_I64, 3, n), &key, &err));
    EXPECT_INT_EQ(3, key);
    EXPECT_OK(key_of(MAKE(value, 0), number(-4), &key, &err));
    EXPECT_INT_EQ(-4, key);
    EXPECT_OK(key_of(MAKE(modulo, 0, 3), number(-4), &key, &err));
    EXPECT_INT_EQ(2, key);
    EXPECT_STATUS(STK_E_SHAPE, key_of(MAKE(length, 0), number(1), &key, &err));
    EXPECT_CONTAINS("is a scalar", err.message);
    EXPECT_STATUS(STK_E_SHAPE, key_of(MAKE(value, 0), vector(STK_DTYPE_I64, 3, n), &key, &err));
    stk_function *none;
    EXPECT_STATUS(STK_E_INVALID, stk_function_modulo(&none, 0, 0, &err));
}

static const char *expanded(stk_function *function, stk_element *element)
{
    const stk_function_info *info = stk_function_info_of(function);
    const stk_call           call = {0};
    stk_dataset             *data = NULL;
    stk_error                err;
    EXPECT_OK(info->expand(info->context, &call, element, &data, &err));
    const char *result = stk_test_run(data, NULL, 0);
    stk_dataset_unref(data);
    stk_element_unref(element);
    stk_function_unref(function);
    return result;
}

static stk_element *of_dataset(stk_dataset *data)
{
    stk_element *element = element_of(2);
    stk_value_i64(stk_element_edit(element, 0), 1);
    stk_value_dataset(stk_element_edit(element, 1), data);
    stk_dataset_unref(data);
    return element;
}

static stk_status put_batch(void *context, stk_dataset **data, stk_error *err)
{
    return stk_dataset_batch(data, *(int *)context, NULL, err);
}

STK_TEST(elements_expand_into_datasets)
{
    EXPECT_STR_EQ("0 1 2 .", expanded(MAKE(range_to, 0), number(3)));
    EXPECT_STR_EQ("3 3 3 .", expanded(MAKE(copies, 0), number(3)));
    EXPECT_STR_EQ(".", expanded(MAKE(copies, 0), number(0)));
    EXPECT_STR_EQ("0 1 .", expanded(MAKE(flatten, STK_ALL_VALUES), of_dataset(RANGE(2))));
    int                     three = 3;
    const stk_pipeline_info batches = {
        .details = "batch(3)", .context = &three, .apply = put_batch};
    stk_function *function = MAKE(pipeline, &batches);
    EXPECT_CONTAINS("flatten -> batch(3)", stk_function_info_of(function)->details);
    EXPECT_STR_EQ("[0 1 2] [3 4] .", expanded(function, of_dataset(RANGE(5))));
}

STK_TEST(expanding_fails_with_a_reason)
{
    const stk_call call = {0};
    stk_error      err;
    stk_dataset   *data = NULL;
    stk_function  *copies = MAKE(copies, 0), *flatten = MAKE(flatten, 0);
    stk_element   *negative = number(-1);
    EXPECT_STATUS(STK_E_INVALID,
                  stk_function_info_of(copies)->expand(stk_function_info_of(copies)->context, &call,
                                                       negative, &data, &err));
    EXPECT_CONTAINS("fewer than 0", err.message);
    EXPECT_STATUS(STK_E_TYPE,
                  stk_function_info_of(flatten)->expand(stk_function_info_of(flatten)->context,
                                                        &call, negative, &data, &err));
    EXPECT_CONTAINS("no value of the element is a dataset", err.message);
    EXPECT(!data);
    const stk_pipeline_info wrong = {.expand = stk_test_add(1), .apply = put_batch};
    stk_function           *none;
    EXPECT_STATUS(STK_E_INVALID, stk_function_pipeline(&none, &wrong, &err));
    stk_element_unref(negative);
    stk_function_unref(copies);
    stk_function_unref(flatten);
}

static stk_status scan(stk_function *function, stk_element **state, stk_element *element,
                       stk_error *err)
{
    const stk_function_info *info = stk_function_info_of(function);
    const stk_call           call = {0};
    stk_status               st = info->scan(info->context, &call, state, &element, err);
    stk_element_unref(element);
    stk_function_unref(function);
    return st;
}

STK_TEST(scans_sum_and_count)
{
    stk_error    err;
    stk_element *total = number(0);
    for (int i = 1; i <= 3; i++)
        EXPECT_OK(scan(MAKE_PLAIN(running_sum), &total, number(i), &err));
    EXPECT_INT_EQ(6, stk_test_number(total));
    const float   f[] = {1};
    const int64_t n[] = {1, 2};
    EXPECT_STATUS(STK_E_TYPE,
                  scan(MAKE_PLAIN(running_sum), &total, vector(STK_DTYPE_F32, 1, f), &err));
    EXPECT_CONTAINS("the state is int64[] and the value float32[1]", err.message);
    EXPECT_INT_EQ(6, stk_test_number(total));
    EXPECT_OK(scan(MAKE_PLAIN(running_sum), &total, vector(STK_DTYPE_I64, 2, n), &err));
    EXPECT_INT_EQ(8, ((const int64_t *)stk_value_data(stk_element_value(total, 0)))[1]);
    stk_element_unref(total);
    total = number(5);
    EXPECT_OK(scan(MAKE_PLAIN(count), &total, text("a"), &err));
    EXPECT_INT_EQ(6, stk_test_number(total));
    stk_element_unref(total);
}

/* An Example of an image, a label, weights and tags. */
static stk_element *example(int64_t label, size_t weights)
{
    const float     w[] = {0.5f, 1.5f, 2.5f, 3.5f, 4.5f, 5.5f};
    const stk_bytes image = stk_bytes_text("pixels"),
                    tags[] = {stk_bytes_text("a"), stk_bytes_text("bc")};
    const stk_field fields[] = {
        {"image", STK_DTYPE_BYTES, stk_shape_scalar(), &image, 1},
        {"label", STK_DTYPE_I64, stk_shape_scalar(), &label, 1},
        {"weights", STK_DTYPE_F32, stk_shape_1d((int64_t)weights), w, weights},
        {"tags", STK_DTYPE_BYTES, stk_shape_1d(2), tags, 2}};
    const stk_sample sample = {.fields = fields, .field_count = 4};
    stk_blob         blob;
    stk_error        err;
    stk_element     *element = element_of(1);
    stk_blob_init(&blob, NULL, STK_MEMORY_INDEX);
    EXPECT_OK(stk_example_write(&blob, &sample, &err));
    EXPECT_OK(stk_value_bytes(stk_element_edit(element, 0), NULL, stk_blob_bytes(&blob), &err));
    stk_blob_release(&blob);
    return element;
}

static const stk_bytes        no_mask[] = {{(const uint8_t *)"none", 4}};
static const stk_feature_spec wanted[] = {
    {.name = "label", .dtype = STK_DTYPE_I64},
    {.name = "image", .dtype = STK_DTYPE_BYTES},
    {.name = "weights", .kind = STK_FEATURE_VARLEN, .dtype = STK_DTYPE_F32},
    {.name = "tags", .dtype = STK_DTYPE_BYTES, .shape = {1, {2}}},
    {.name = "mask",
     .dtype = STK_DTYPE_BYTES,
     .has_default = true,
     .default_value = no_mask,
     .default_count = 1},
};

STK_TEST(examples_become_their_features)
{
    stk_element *elements[] = {example(7, 3), example(-1, 0), example(9, 6)};
    stk_dataset *data;
    stk_error    err;
    EXPECT_OK(stk_dataset_elements(&data, elements, 3, &err));
    stk_function *parse = MAKE(parse_example, 0, wanted, COUNT_OF(wanted));
    STAGE(data, map, parse, NULL);
    EXPECT_INT_EQ(0, stk_element_spec_find(stk_dataset_spec(data), "label"));
    EXPECT_INT_EQ(-1, stk_dataset_spec(data)->values[2].shape.dim[0]);
    EXPECT_GIVES("(7 'pixels' [0.5 1.5 2.5] ['a' 'bc'] 'none') "
                 "(-1 'pixels' [] ['a' 'bc'] 'none') "
                 "(9 'pixels' [0.5 1.5 2.5 3.5 4.5 5.5] ['a' 'bc'] 'none') .",
                 data);
    for (int i = 0; i < 3; i++)
        stk_element_unref(elements[i]);
    stk_function_unref(parse);
}

STK_TEST(an_image_is_a_view_into_its_record)
{
    stk_element *element = example(7, 3), *record = stk_element_ref(element);
    stk_error    err;
    EXPECT_OK(call_map(MAKE(parse_example, 0, wanted, COUNT_OF(wanted)), &element, &err));
    const stk_value *image = stk_element_value(element, 1), *from = stk_element_value(record, 0);
    EXPECT(image->storage == from->storage);
    EXPECT(image->small.view.data > from->small.view.data &&
           image->small.view.data < from->small.view.data + from->small.view.size);
    stk_element_unref(record); /* the view keeps the bytes */
    EXPECT_MEM_EQ("pixels", image->small.view.data, 6);
    stk_element_unref(element);
}

STK_TEST(a_padded_feature_has_its_own_rows)
{
    const stk_feature_spec rows = {.name = "weights",
                                   .kind = STK_FEATURE_DENSE_PADDED,
                                   .dtype = STK_DTYPE_F32,
                                   .shape = {1, {2}}};
    expect_maps("[[0.5 1.5][2.5 3.5]]", MAKE(parse_example, 0, &rows, 1), example(1, 4));
    expect_fails(STK_E_SHAPE, "weights", MAKE(parse_example, 0, &rows, 1), example(1, 3));
}

STK_TEST(a_bad_example_is_named)
{
    const stk_feature_spec missing = {.name = "depth", .dtype = STK_DTYPE_I64};
    const stk_feature_spec wrong = {.name = "label", .dtype = STK_DTYPE_F32};
    expect_fails(STK_E_INVALID, "depth", MAKE(parse_example, 0, &missing, 1), example(1, 1));
    expect_fails(STK_E_TYPE, "label", MAKE(parse_example, 0, &wrong, 1), example(1, 1));
    expect_fails(STK_E_INVALID, "", MAKE(parse_example, 0, &missing, 1), text("\x0a\xff"));
    expect_fails(STK_E_TYPE, "is int64; it must be bytes", MAKE(parse_example, 0, &missing, 1),
                 number(1));
    stk_function *none;
    stk_error     err;
    EXPECT_STATUS(STK_E_INVALID, stk_function_parse_example(&none, 0, NULL, 0, &err));
}

STK_TEST(details_tell_functions_apart)
{
    static const char *const names[] = {"a", "b"};
    stk_function            *made[] = {arithmetic(STK_ARITHMETIC_ADD, 1),
                                       arithmetic(STK_ARITHMETIC_ADD, 2),
                                       MAKE(arithmetic, STK_ARITHMETIC_ADD, 0, stk_number_integer(1)),
                                       arithmetic(STK_ARITHMETIC_SUBTRACT, 1),
                                       MAKE(rename, names, 2),
                                       MAKE(rename, names, 1),
                                       MAKE(parse_example, 0, wanted, 1),
                                       MAKE(parse_example, 0, wanted + 1, 1),
                                       MAKE(cast, 0, STK_DTYPE_F32),
                                       MAKE(cast, 0, STK_DTYPE_F64)};
    for (size_t i = 0; i < COUNT_OF(made); i++)
        for (size_t k = 0; k < i; k++) {
            const stk_function_info *a = stk_function_info_of(made[i]),
                                    *b = stk_function_info_of(made[k]);
            EXPECT(strcmp(a->name, b->name) || strcmp(a->details, b->details));
        }
    for (size_t i = 0; i < COUNT_OF(made); i++)
        stk_function_unref(made[i]);
}

/* Every map function made, put on a stage, and called once. */
static stk_status use(stk_function *function, stk_element *element, stk_error *err)
{
    stk_dataset *data = NULL;
    stk_status   st = stk_dataset_elements(&data, &element, 1, err);
    if (!st) st = stk_dataset_map(&data, function, NULL, err);
    stk_dataset_unref(data);
    if (!st) {
        const stk_function_info *info = stk_function_info_of(function);
        const stk_call           call = {0};
        stk_element             *copy = stk_element_ref(element);
        st = info->map(info->context, &call, &copy, err);
        stk_element_unref(copy);
    }
    stk_function_unref(function);
    return st;
}

static stk_status use_all(void *context, stk_error *err)
{
    stk_element **input = context;
    stk_function *f;
#define USE(element, name, ...)                                                                    \
    STK_TRY(stk_function_##name(&f, __VA_ARGS__, err));                                            \
    STK_TRY(use(f, (element), err))
    USE(input[0], arithmetic, STK_ARITHMETIC_ADD, 0, stk_number_integer(1));
    USE(input[0], cast, 0, STK_DTYPE_F32);
    USE(input[1], fill, 0);
    USE(input[1], to_text, 0);
    USE(input[1], random_uniform, 0, 1);
    USE(input[1], rename, (const char *[]){"x"}, 1);
    USE(input[1], select, (int[]){0, 0}, 2);
    USE(input[2], decode_raw, 0, STK_DTYPE_U8);
    USE(input[2], parse_example, 0, wanted, COUNT_OF(wanted));
    USE(input[3], read_file, 0, &(stk_read_file_options){.folder = "/"});
    return STK_OK;
}

STK_TEST(functions_survive_every_failing_allocation)
{
    const int64_t n[] = {1, 2, 3, 4};
    const char   *path = stk_test_path("survive");
    stk_test_write_file(path, "x", 1);
    stk_element *inputs[] = {vector(STK_DTYPE_I64, 4, n), number(9), example(1, 5), text(path)};
    stk_test_fail_each_allocation(use_all, inputs);
    for (size_t i = 0; i < COUNT_OF(inputs); i++)
        stk_element_unref(inputs[i]);
}

/* Where an element came from, as values that a batch keeps for every row. */
STK_TEST(origin_adds_the_file_and_the_record)
{
    stk_element  *element = number(7);
    stk_function *function;
    stk_buffer   *file;
    stk_error     err;
    EXPECT_OK(stk_buffer_new(&file, NULL, STK_MEMORY_INDEX, 5, &err));
    memcpy(stk_buffer_data(file), "a.png", 5);
    stk_element_set_origin(element, &(stk_origin){.file = file, .record = 3, .index = 9});
    stk_buffer_unref(file);
    EXPECT_OK(stk_function_origin(&function, &err));
    EXPECT_OK(call_map(function, &element, &err));
    EXPECT_INT_EQ(3, stk_element_count(element));
    const stk_bytes *name = stk_value_data(stk_element_value(element, 1));
    EXPECT_INT_EQ(7, *(const int64_t *)stk_value_data(stk_element_value(element, 0)));
    EXPECT_INT_EQ(5, name->size);
    EXPECT_MEM_EQ("a.png", name->data, 5);
    EXPECT_INT_EQ(3, *(const int64_t *)stk_value_data(stk_element_value(element, 2)));
    EXPECT_INT_EQ(9, stk_element_origin(element)->index);
    stk_element_unref(element);
    element = number(7);
    stk_element_set_origin(element, &(stk_origin){.index = 9});
    EXPECT_OK(stk_function_origin(&function, &err));
    EXPECT_OK(call_map(function, &element, &err));
    name = stk_value_data(stk_element_value(element, 1));
    EXPECT_INT_EQ(0, name->size);
    EXPECT_INT_EQ(9, *(const int64_t *)stk_value_data(stk_element_value(element, 2)));
    stk_element_unref(element);
}
