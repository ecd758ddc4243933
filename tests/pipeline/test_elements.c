#include "values_support.h"

STK_TEST(elements_come_in_order)
{
    stk_dataset *data = DATA(ELEMENT(SCALAR(3), STRINGS("a")), ELEMENT(SCALAR(1), STRINGS("b")));
    EXPECT_INT_EQ(2, stk_dataset_cardinality(data));
    EXPECT_GIVES("(3 ['a']) (1 ['b']) .", data);
}

STK_TEST(no_elements_are_an_empty_dataset)
{
    stk_error    err;
    stk_dataset *data;
    EXPECT_OK(stk_dataset_elements(&data, NULL, 0, &err));
    EXPECT_INT_EQ(0, stk_dataset_cardinality(data));
    EXPECT_GIVES(".", data);
}

STK_TEST(the_spec_has_the_shapes_that_elements_share)
{
    stk_dataset *data = DATA(ELEMENT(MATRIX(1, 2, 1, 2)), ELEMENT(MATRIX(2, 2, 1, 2, 3, 4)));
    const stk_value_spec *spec = stk_dataset_spec(data)->values;
    EXPECT_INT_EQ(-1, spec->shape.dim[0]);
    EXPECT_INT_EQ(2, spec->shape.dim[1]);
    stk_dataset_unref(data);
    data = DATA(ELEMENT(MATRIX(1, 2, 1, 2)), ELEMENT(VECTOR(1)));
    EXPECT(!stk_dataset_spec(data)->values[0].rank_known);
    stk_dataset_unref(data);
}

STK_TEST(elements_must_agree_in_number_and_types_of_values)
{
    stk_error    err;
    stk_dataset *data;
    stk_element *list[] = {ELEMENT(SCALAR(1)), ELEMENT(SCALAR(1), SCALAR(2))};
    EXPECT_STATUS(STK_E_TYPE, stk_dataset_elements(&data, list, 2, &err));
    EXPECT_CONTAINS("it has 2 values, the elements before it have 1", err.message);
    stk_element_unref(list[1]);
    list[1] = ELEMENT(STRINGS("a"));
    EXPECT_STATUS(STK_E_TYPE, stk_dataset_elements(&data, list, 2, &err));
    EXPECT_CONTAINS("value 0 is bytes, in the elements before it int64", err.message);
    stk_element_unref(list[0]);
    stk_element_unref(list[1]);
}

STK_TEST(elements_by_number_and_past_the_end) /* 74 */
{
    stk_error    err;
    stk_element *element;
    stk_dataset *data = NUMBERS(5, 6);
    EXPECT_OK(stk_dataset_at(data, 1, &element, &err));
    EXPECT_INT_EQ(6, stk_test_number(element));
    stk_element_unref(element);
    EXPECT_STATUS(STK_E_RANGE, stk_dataset_at(data, 2, &element, &err));
    EXPECT_CONTAINS("there are 2", err.message);
    stk_dataset_unref(data);
}

STK_TEST(other_elements_have_another_fingerprint)
{
    stk_dataset *a = NUMBERS(1, 2), *b = NUMBERS(2, 1), *c = NUMBERS(1, 2);
    EXPECT(stk_dataset_fingerprint(a) != stk_dataset_fingerprint(b));
    EXPECT(stk_dataset_fingerprint(a) == stk_dataset_fingerprint(c));
    stk_dataset_unref(a);
    stk_dataset_unref(b);
    stk_dataset_unref(c);
}

static stk_status build_and_run(void *context, stk_error *err)
{
    stk_dataset *data;
    STK_TRY(stk_dataset_elements(&data, context, 2, err));
    return stk_test_drain(data, err);
}

STK_TEST(elements_survives_every_failing_allocation)
{
    stk_element *list[] = {ELEMENT(SCALAR(1)), ELEMENT(SCALAR(2))};
    stk_test_fail_each_allocation(build_and_run, list);
    stk_element_unref(list[0]);
    stk_element_unref(list[1]);
}
