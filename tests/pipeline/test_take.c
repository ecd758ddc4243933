#include "pipeline_support.h"

static stk_dataset *taken(stk_dataset *data, int64_t count)
{
    APPLY(data, take, count);
    return data;
}

STK_TEST(take_gives_the_first_elements) /* 38 */
{
    stk_test_watchdog(60);
    EXPECT_GIVES(".", taken(RANGE(10), 0));
    EXPECT_GIVES("0 1 2 .", taken(RANGE(10), 3));
    EXPECT_GIVES("0 1 2 .", taken(RANGE(3), 8));
    EXPECT_GIVES("0 1 2 .", taken(RANGE(3), -1));
    EXPECT_GIVES(".", taken(RANGE(0), 5));
}

STK_TEST(take_does_not_count_errors) /* 4 */
{
    stk_dataset *data = RANGE(6);
    APPLY(data, map, stk_test_fail_on(1), NULL);
    EXPECT_GIVES("0 !invalid_argument 2 3 .", taken(data, 3));
}

STK_TEST(take_does_not_look_past_its_last_element)
{
    stk_dataset *data = RANGE(6);
    APPLY(data, map, stk_test_fail_on(3), NULL);
    EXPECT_GIVES("0 1 2 .", taken(data, 3));
}

STK_TEST(after_the_end_comes_the_end) /* 3 */
{
    stk_error     err;
    stk_iterator *it;
    stk_element  *element;
    stk_dataset  *data = taken(RANGE(5), 1);
    EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
    EXPECT_OK(stk_iterator_next(it, &element, &err));
    stk_element_unref(element);
    for (int i = 0; i < 5; i++) {
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        assert_null(element);
    }
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

STK_TEST(take_of_data_without_end) /* 43, 44 */
{
    stk_dataset *data = RANGE(5);
    APPLY(data, repeat, -1);
    EXPECT_INT_EQ(STK_CARDINALITY_INFINITE, stk_dataset_cardinality(data));
    data = taken(data, 2);
    EXPECT_INT_EQ(2, stk_dataset_cardinality(data));
    EXPECT_GIVES("0 1 .", data);
    data = RANGE(5);
    APPLY(data, repeat, -1);
    EXPECT_GIVES("0 1 2 3 4 0 1 .", taken(data, 7));
    data = RANGE(5);
    APPLY(data, repeat, -1);
    APPLY(data, batch, 2, NULL);
    EXPECT_INT_EQ(STK_CARDINALITY_INFINITE, stk_dataset_cardinality(data));
    EXPECT_BEGINS(3, "[0 1] [2 3] [4 0] ...", data);
}

STK_TEST(repeat_counts_its_passes) /* 43 */
{
    stk_dataset *data = RANGE(1);
    APPLY(data, repeat, 7);
    APPLY(data, repeat, 14);
    EXPECT_INT_EQ(98, stk_dataset_cardinality(data));
    stk_dataset_unref(data);
    data = RANGE(3);
    APPLY(data, repeat, 0);
    EXPECT_GIVES(".", data);
    data = RANGE(0);
    APPLY(data, repeat, -1);
    EXPECT_INT_EQ(0, stk_dataset_cardinality(data));
    EXPECT_GIVES(".", data);
    data = RANGE(3);
    APPLY(data, take, 2);
    APPLY(data, repeat, 3);
    EXPECT_GIVES("0 1 0 1 0 1 .", data);
}

STK_TEST(cardinality_of_take)
{
    stk_dataset *data = taken(RANGE(5), 8);
    EXPECT_INT_EQ(5, stk_dataset_cardinality(data));
    stk_dataset_unref(data);
    data = taken(RANGE(5), -1);
    EXPECT_INT_EQ(5, stk_dataset_cardinality(data));
    stk_dataset_unref(data);
    data = RANGE(5);
    APPLY(data, filter, stk_test_divides(1));
    data = taken(data, 3);
    EXPECT_INT_EQ(STK_CARDINALITY_UNKNOWN, stk_dataset_cardinality(data));
    stk_dataset_unref(data);
}

STK_TEST(take_by_number) /* 74 */
{
    stk_error    err;
    stk_element *element;
    stk_dataset *data = taken(stk_test_range(10, 20, 1), 3);
    EXPECT_OK(stk_dataset_at(data, 2, &element, &err));
    EXPECT_INT_EQ(12, stk_test_number(element));
    stk_element_unref(element);
    EXPECT_REFUSED(STK_E_RANGE, "element 3 was asked for; at most 3 are taken",
                   stk_dataset_at(data, 3, &element, &err));
    stk_dataset_unref(data);
    data = taken(RANGE(2), 3);
    EXPECT_STATUS(STK_E_RANGE, stk_dataset_at(data, 2, &element, &err));
    stk_dataset_unref(data);
}

STK_TEST(takes_of_other_counts_have_other_fingerprints)
{
    stk_dataset *a = taken(RANGE(5), 2), *b = taken(RANGE(5), 3), *c = taken(RANGE(5), 2);
    EXPECT(stk_dataset_fingerprint(a) != stk_dataset_fingerprint(b));
    EXPECT(stk_dataset_fingerprint(a) == stk_dataset_fingerprint(c));
    stk_dataset_unref(a);
    stk_dataset_unref(b);
    stk_dataset_unref(c);
}

STK_TEST(damaged_checkpoints_of_take_are_harmless)
{
    stk_test_watchdog(60);
    stk_test_damage(taken(RANGE(5), 4), 3);
}

static stk_status build(stk_dataset **out, stk_error *err)
{
    STK_TRY(stk_dataset_range(out, 0, 10, 1, err));
    return stk_dataset_take(out, 5, err);
}

STK_TEST(take_survives_want_of_memory)
{
    stk_test_without_memory(build, 5);
}
