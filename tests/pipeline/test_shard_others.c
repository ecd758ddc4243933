/* What is left when every n-th element is held back. */
#include "harness.h"

static int64_t number(const stk_element *element)
{
    return *(const int64_t *)stk_value_data(stk_element_value(element, 0));
}

STK_TEST(the_others_are_all_but_every_third_in_order_and_by_number)
{
    static const int64_t expected[] = {0, 1, 3, 4, 6, 7, 9};
    stk_error            err;
    stk_dataset         *data = NULL;
    stk_iterator        *it;
    stk_element         *element;
    EXPECT_OK(stk_dataset_range(&data, 0, 10, 1, &err));
    EXPECT_OK(stk_dataset_shard_others(&data, 3, 2, &err));
    EXPECT_INT_EQ(7, stk_dataset_cardinality(data));
    EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
    for (size_t i = 0; i < COUNT_OF(expected); i++) {
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        EXPECT_INT_EQ(expected[i], number(element));
        stk_element_unref(element);
    }
    EXPECT_OK(stk_iterator_next(it, &element, &err));
    EXPECT(element == NULL);
    stk_iterator_free(it);
    /* By number, as a global shuffle asks. */
    EXPECT_OK(stk_dataset_global_shuffle(&data, NULL, &err));
    EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
    int64_t sum = 0;
    for (size_t i = 0; i < COUNT_OF(expected); i++) {
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        sum += number(element);
        stk_element_unref(element);
    }
    EXPECT_INT_EQ(0 + 1 + 3 + 4 + 6 + 7 + 9, sum);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

STK_TEST(with_one_shard_there_are_no_others)
{
    stk_error    err;
    stk_dataset *data = NULL;
    EXPECT_OK(stk_dataset_range(&data, 0, 10, 1, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_shard_others(&data, 1, 0, &err));
    stk_dataset_unref(data);
}
