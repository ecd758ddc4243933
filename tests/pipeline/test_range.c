#include "values_support.h"

STK_TEST(range_counts_up_and_down) /* 1 */
{
    EXPECT_GIVES("0 1 2 3 .", RANGE(4));
    EXPECT_GIVES("10 8 6 .", stk_test_range(10, 5, -2));
    EXPECT_GIVES("-3 0 3 .", stk_test_range(-3, 4, 3));
}

STK_TEST(ranges_that_lead_away_are_empty) /* 1 */
{
    static const int64_t ranges[][3] = {{10, 5, 1}, {0, 0, -2}, {1, 0, 3}, {0, 1, -3}};
    for (size_t i = 0; i < COUNT_OF(ranges); i++) {
        stk_dataset *data = stk_test_range(ranges[i][0], ranges[i][1], ranges[i][2]);
        EXPECT_INT_EQ(0, stk_dataset_cardinality(data));
        EXPECT_GIVES(".", data);
    }
}

STK_TEST(ranges_at_the_ends_of_int64)
{
    EXPECT_GIVES("9223372036854775805 9223372036854775806 .",
                 stk_test_range(INT64_MAX - 2, INT64_MAX, 1));
    EXPECT_GIVES("-9223372036854775808 -1 9223372036854775806 .",
                 stk_test_range(INT64_MIN, INT64_MAX, INT64_MAX));
    EXPECT_GIVES("9223372036854775807 -1 .", stk_test_range(INT64_MAX, INT64_MIN, INT64_MIN));
    stk_dataset *data = stk_test_range(INT64_MIN, INT64_MAX, 1);
    EXPECT_INT_EQ(INT64_MAX, stk_dataset_cardinality(data));
    stk_dataset_unref(data);
}

STK_TEST(range_refuses_a_step_of_0)
{
    stk_error    err;
    stk_dataset *data;
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_range(&data, 0, 5, 0, &err));
    assert_null(data);
    EXPECT_CONTAINS("the step is 0", err.message);
}

STK_TEST(range_by_number_and_past_the_end) /* 74 */
{
    stk_error    err;
    stk_element *element;
    stk_dataset *data = stk_test_range(10, 5, -2);
    EXPECT_OK(stk_dataset_at(data, 2, &element, &err));
    EXPECT_INT_EQ(6, stk_test_number(element));
    stk_element_unref(element);
    EXPECT_STATUS(STK_E_RANGE, stk_dataset_at(data, 3, &element, &err));
    EXPECT_CONTAINS("element 3 was asked for; there are 3", err.message);
    stk_dataset_unref(data);
}

STK_TEST(range_elements_know_where_they_come_from)
{
    char         text[64];
    stk_dataset *data = RANGE(3);
    stk_element *element = stk_test_first(data);
    EXPECT_STR_EQ("element 0 of epoch 0", stk_element_where(element, text, sizeof text));
    stk_element_unref(element);
}

static stk_status build_and_run(void *context, stk_error *err)
{
    (void)context;
    stk_dataset *data;
    STK_TRY(stk_dataset_range(&data, 0, 3, 1, err));
    return stk_test_drain(data, err);
}

STK_TEST(range_survives_every_failing_allocation)
{
    stk_test_fail_each_allocation(build_and_run, NULL);
}
