#include "values_support.h"

STK_TEST(filter_keeps_order_and_does_not_know_its_number) /* 12 */
{
    stk_dataset *data = RANGE(10);
    APPLY(data, filter, stk_test_divides(3));
    EXPECT_INT_EQ(STK_CARDINALITY_UNKNOWN, stk_dataset_cardinality(data));
    EXPECT_GIVES("0 3 6 9 .", data);
    data = RANGE(3);
    APPLY(data, filter, stk_test_divides(1));
    EXPECT_INT_EQ(STK_CARDINALITY_UNKNOWN, stk_dataset_cardinality(data));
    EXPECT_GIVES("0 1 2 .", data);
}

static stk_status say_component(void *context, const stk_call *call, const stk_element *element,
                                bool *keep, stk_error *err)
{
    (void)context;
    (void)call;
    (void)err;
    *keep = *(const bool *)stk_value_data(stk_element_value(element, 1));
    return STK_OK;
}

STK_TEST(filter_may_answer_with_a_component) /* 12 */
{
    stk_value yes, no;
    stk_value_bool(&yes, true);
    stk_value_bool(&no, false);
    stk_dataset *data =
        DATA(ELEMENT(SCALAR(1), yes), ELEMENT(SCALAR(2), no), ELEMENT(SCALAR(3), yes));
    APPLY(data, filter, stk_test_test("component", say_component, NULL));
    EXPECT_GIVES("(1 true) (3 true) .", data);
}

STK_TEST(filter_keeps_the_spec_of_its_input)
{
    stk_dataset *data = RANGE(4);
    APPLY(data, filter, stk_test_divides(2));
    EXPECT_INT_EQ(STK_DTYPE_I64, stk_dataset_spec(data)->values[0].dtype);
    stk_dataset_unref(data);
}

static stk_status fail_on_two(void *context, const stk_call *call, const stk_element *element,
                              bool *keep, stk_error *err)
{
    (void)context;
    (void)call;
    *keep = true;
    if (stk_test_number(element) != 2) return STK_OK;
    return stk_fail(err, STK_E_IO, "test", NULL, "two");
}

STK_TEST(errors_of_the_test_and_of_the_input_have_their_place)
{
    stk_dataset *data = RANGE(6);
    APPLY(data, map, stk_test_fail_on(4), NULL);
    APPLY(data, filter, stk_test_test("fail_on_two", fail_on_two, NULL));
    EXPECT_GIVES("0 1 !input/output_error 3 !invalid_argument 5 .", data);
}

STK_TEST(filter_refuses_a_function_that_is_no_test)
{
    stk_error    err;
    stk_dataset *data = RANGE(3);
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_filter(&data, stk_test_add(1), &err));
    EXPECT_CONTAINS("no test", err.message);
    stk_dataset_unref(data);
}

STK_TEST(filter_cannot_be_had_by_number)
{
    stk_error    err;
    stk_element *element;
    stk_dataset *data = RANGE(3);
    PUT(data, filter, stk_test_divides(2));
    EXPECT_STATUS(STK_E_UNSUPPORTED, stk_dataset_at(data, 0, &element, &err));
    EXPECT_CONTAINS("filter", err.message);
    stk_dataset_unref(data);
}

static stk_status build_and_run(void *function, stk_error *err)
{
    stk_dataset *data;
    STK_TRY(stk_dataset_range(&data, 0, 5, 1, err));
    stk_status st = stk_dataset_filter(&data, function, err);
    if (st) {
        stk_dataset_unref(data);
        return st;
    }
    return stk_test_drain(data, err);
}

STK_TEST(filter_survives_every_failing_allocation)
{
    stk_test_fail_each_allocation(build_and_run, stk_test_divides(2));
}
