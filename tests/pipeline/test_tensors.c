#include "values_support.h"

static stk_dataset *tensors(stk_element *element)
{
    stk_error    err;
    stk_dataset *data;
    EXPECT_OK(stk_dataset_tensors(&data, element, &err));
    stk_element_unref(element);
    return data;
}

STK_TEST(tensors_gives_its_element_once) /* 2 */
{
    stk_dataset *data = tensors(ELEMENT(VECTOR(1, 2, 3), STRINGS("a", "bc")));
    EXPECT_INT_EQ(1, stk_dataset_cardinality(data));
    EXPECT_GIVES("([1 2 3] ['a' 'bc']) .", data);
}

STK_TEST(tensors_again_in_every_pass)
{
    stk_dataset *data = tensors(ELEMENT(SCALAR(7)));
    APPLY(data, repeat, 3);
    EXPECT_GIVES("7 7 7 .", data);
}

STK_TEST(tensors_spec_is_that_of_the_element)
{
    stk_dataset            *data = tensors(ELEMENT(MATRIX(2, 3, 1, 2, 3, 4, 5, 6)));
    const stk_element_spec *spec = stk_dataset_spec(data);
    EXPECT(spec->known && spec->values[0].rank_known);
    EXPECT_INT_EQ(1, spec->count);
    EXPECT_INT_EQ(2, spec->values[0].shape.rank);
    EXPECT_INT_EQ(3, spec->values[0].shape.dim[1]);
    stk_dataset_unref(data);
}

STK_TEST(tensors_by_number_and_past_the_end) /* 74 */
{
    stk_error    err;
    stk_element *element;
    stk_dataset *data = tensors(ELEMENT(SCALAR(7)));
    EXPECT_OK(stk_dataset_at(data, 0, &element, &err));
    EXPECT_INT_EQ(7, stk_test_number(element));
    stk_element_unref(element);
    EXPECT_STATUS(STK_E_RANGE, stk_dataset_at(data, 1, &element, &err));
    EXPECT_CONTAINS("element 1 was asked for", err.message);
    stk_dataset_unref(data);
}

STK_TEST(tensors_of_other_content_have_another_fingerprint)
{
    stk_dataset *a = tensors(ELEMENT(VECTOR(1, 2))), *b = tensors(ELEMENT(VECTOR(1, 3)));
    stk_dataset *c = tensors(ELEMENT(VECTOR(1, 2)));
    EXPECT(stk_dataset_fingerprint(a) != stk_dataset_fingerprint(b));
    EXPECT(stk_dataset_fingerprint(a) == stk_dataset_fingerprint(c));
    stk_dataset_unref(a);
    stk_dataset_unref(b);
    stk_dataset_unref(c);
}

static stk_status build_and_run(void *element, stk_error *err)
{
    stk_dataset *data;
    STK_TRY(stk_dataset_tensors(&data, element, err));
    return stk_test_drain(data, err);
}

STK_TEST(tensors_survives_every_failing_allocation)
{
    stk_element *element = ELEMENT(VECTOR(1, 2, 3));
    stk_test_fail_each_allocation(build_and_run, element);
    stk_element_unref(element);
}
