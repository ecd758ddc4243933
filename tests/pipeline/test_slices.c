#include "values_support.h"

static stk_dataset *slices(stk_element *element)
{
    stk_error    err;
    stk_dataset *data;
    EXPECT_OK(stk_dataset_slices(&data, element, &err));
    stk_element_unref(element);
    return data;
}

STK_TEST(slices_gives_the_rows_of_every_value) /* 2 */
{
    stk_dataset *data = slices(ELEMENT(VECTOR(0, 0, 0), VECTOR(1, 1, 1)));
    EXPECT_INT_EQ(3, stk_dataset_cardinality(data));
    EXPECT_GIVES("(0 1) (0 1) (0 1) .", data);
}

STK_TEST(slices_of_matrices_and_strings)
{
    stk_dataset *data = slices(ELEMENT(MATRIX(3, 4, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11),
                                       STRINGS("a", "", "a string longer than sixteen")));
    EXPECT_GIVES("([0 1 2 3] 'a') ([4 5 6 7] '') ([8 9 10 11] 'a string longer than sixteen') .",
                 data);
}

STK_TEST(slices_of_a_ragged_value_are_its_rows)
{
    stk_dataset *batches =
        stk_test_vectors(3, (const size_t[]){1, 0, 2}, (const int64_t[]){5, 6, 7});
    APPLY(batches, ragged_batch, 3, NULL);
    stk_dataset *data = slices(stk_test_first(batches));
    EXPECT_INT_EQ(3, stk_dataset_cardinality(data));
    EXPECT_INT_EQ(1, stk_dataset_spec(data)->values[0].shape.rank);
    EXPECT_INT_EQ(-1, stk_dataset_spec(data)->values[0].shape.dim[0]);
    EXPECT_GIVES("[5] [] [6 7] .", data);
}

STK_TEST(slices_of_no_rows_end_at_once)
{
    stk_dataset *data = slices(ELEMENT(EMPTY_VECTOR()));
    EXPECT_INT_EQ(0, stk_dataset_cardinality(data));
    EXPECT_GIVES(".", data);
}

STK_TEST(slices_names_both_leading_dimensions_that_differ)
{
    stk_error    err;
    stk_dataset *data;
    stk_element *element = ELEMENT(VECTOR(1, 2), VECTOR(1, 2, 3));
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_slices(&data, element, &err));
    assert_null(data);
    EXPECT_CONTAINS("component 0 has 2 rows, component 1 has 3", err.message);
    stk_element_unref(element);
}

STK_TEST(slices_refuses_scalars_and_elements_without_values)
{
    stk_error    err;
    stk_dataset *data;
    stk_element *element = ELEMENT(VECTOR(1, 2), SCALAR(3));
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_slices(&data, element, &err));
    EXPECT_CONTAINS("component 1 is a scalar", err.message);
    stk_element_unref(element);
    EXPECT_OK(stk_element_new(&element, 0, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_slices(&data, element, &err));
    EXPECT_CONTAINS("no values", err.message);
    stk_element_unref(element);
}

STK_TEST(slices_by_number_and_past_the_end) /* 74 */
{
    stk_error    err;
    stk_element *element;
    stk_dataset *data = slices(ELEMENT(VECTOR(10, 11, 12)));
    EXPECT_OK(stk_dataset_at(data, 2, &element, &err));
    EXPECT_INT_EQ(12, stk_test_number(element));
    EXPECT_INT_EQ(2, stk_element_origin(element)->index);
    stk_element_unref(element);
    EXPECT_STATUS(STK_E_RANGE, stk_dataset_at(data, 3, &element, &err));
    EXPECT_CONTAINS("row 3 was asked for; there are 3", err.message);
    EXPECT_STATUS(STK_E_RANGE, stk_dataset_at(data, UINT64_MAX, &element, &err));
    stk_dataset_unref(data);
}

STK_TEST(slices_of_other_content_have_another_fingerprint)
{
    stk_dataset *a = slices(ELEMENT(VECTOR(1, 2))), *b = slices(ELEMENT(VECTOR(2, 1)));
    EXPECT(stk_dataset_fingerprint(a) != stk_dataset_fingerprint(b));
    stk_dataset_unref(a);
    stk_dataset_unref(b);
}

static stk_status build_and_run(void *element, stk_error *err)
{
    stk_dataset *data;
    STK_TRY(stk_dataset_slices(&data, element, err));
    return stk_test_drain(data, err);
}

STK_TEST(slices_survives_every_failing_allocation)
{
    stk_element *element = ELEMENT(VECTOR(1, 2, 3), STRINGS("a", "b", "c"));
    stk_test_fail_each_allocation(build_and_run, element);
    stk_element_unref(element);
}
