#include "pipeline_support.h"

STK_TEST(enumerate_puts_numbers_before_the_values) /* 51 */
{
    stk_test_watchdog(60);
    stk_dataset *data = stk_test_range(10, 13, 1);
    APPLY(data, enumerate, 5);
    EXPECT_INT_EQ(3, stk_dataset_cardinality(data));
    EXPECT_GIVES("(5 10) (6 11) (7 12) .", data);
    data = NUMBERS(4, 4);
    APPLY(data, enumerate, -1);
    APPLY(data, enumerate, 0);
    EXPECT_GIVES("(0 -1 4) (1 0 4) .", data);
}

STK_TEST(an_error_has_a_number_of_its_own) /* 4 */
{
    stk_dataset *data = RANGE(4);
    APPLY(data, map, stk_test_fail_on(1), NULL);
    APPLY(data, enumerate, 5);
    EXPECT_GIVES("(5 0) !invalid_argument (7 2) (8 3) .", data);
}

STK_TEST(numbers_begin_anew_in_every_pass)
{
    stk_dataset *data = NUMBERS(7, 8);
    APPLY(data, enumerate, 0);
    APPLY(data, repeat, 2);
    EXPECT_GIVES("(0 7) (1 8) (0 7) (1 8) .", data);
}

STK_TEST(numbers_stop_at_the_largest)
{
    stk_error    err;
    stk_element *element;
    stk_dataset *data = RANGE(3);
    APPLY(data, enumerate, INT64_MAX - 1);
    EXPECT_REFUSED(STK_E_RANGE, "does not fit int64; begin lower",
                   stk_dataset_at(data, 2, &element, &err));
    assert_null(element);
    EXPECT_GIVES("(9223372036854775806 0) (9223372036854775807 1) !out_of_range .", data);
    data = RANGE(2);
    APPLY(data, enumerate, INT64_MIN);
    EXPECT_OK(stk_dataset_at(data, 1, &element, &err));
    EXPECT_INT_EQ(INT64_MIN + 1, stk_test_number(element));
    stk_element_unref(element);
    EXPECT_STATUS(STK_E_RANGE, stk_dataset_at(data, 2, &element, &err)); /* 74 */
    stk_dataset_unref(data);
}

STK_TEST(spec_of_enumerate)
{
    stk_dataset *data = RANGE(2);
    APPLY(data, enumerate, 0);
    const stk_element_spec *spec = stk_dataset_spec(data);
    EXPECT_INT_EQ(2, spec->count);
    EXPECT_STR_EQ("0", spec->values[0].name);
    EXPECT_STR_EQ("1", spec->values[1].name);
    EXPECT_INT_EQ(STK_DTYPE_I64, spec->values[0].dtype);
    stk_dataset_unref(data);
}

static stk_status build(stk_dataset **out, stk_error *err)
{
    STK_TRY(stk_dataset_range(out, 0, 5, 1, err));
    return stk_dataset_enumerate(out, 1, err);
}

STK_TEST(enumerate_survives_want_of_memory)
{
    stk_test_without_memory(build, 5);
}
