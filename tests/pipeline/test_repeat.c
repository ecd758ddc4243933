#include "values_support.h"

STK_TEST(repeat_gives_the_input_again) /* 43 */
{
    stk_dataset *data = RANGE(3);
    APPLY(data, repeat, 2);
    EXPECT_INT_EQ(6, stk_dataset_cardinality(data));
    EXPECT_GIVES("0 1 2 0 1 2 .", data);
    data = RANGE(3);
    APPLY(data, repeat, 1);
    EXPECT_GIVES("0 1 2 .", data);
}

STK_TEST(repeat_0_gives_nothing) /* 43 */
{
    stk_dataset *data = RANGE(3);
    APPLY(data, repeat, 0);
    EXPECT_INT_EQ(0, stk_dataset_cardinality(data));
    EXPECT_GIVES(".", data);
}

STK_TEST(repeat_without_a_number_never_ends) /* 43 */
{
    stk_dataset *data = RANGE(2);
    APPLY(data, repeat, -1);
    EXPECT_INT_EQ(STK_CARDINALITY_INFINITE, stk_dataset_cardinality(data));
    EXPECT_BEGINS(7, "0 1 0 1 0 1 0 ...", data);
}

STK_TEST(repeats_of_repeats_multiply) /* 43 */
{
    stk_test_watchdog(120);
    stk_dataset *data = RANGE(1);
    APPLY(data, repeat, 7);
    APPLY(data, repeat, 14);
    EXPECT_INT_EQ(98, stk_dataset_cardinality(data));
    char  text[400];
    char *at = text;
    for (int i = 0; i < 98; i++, at += 2)
        memcpy(at, "0 ", 2);
    memcpy(at, ".", 2);
    EXPECT_GIVES(text, data);
}

STK_TEST(nothing_repeated_for_ever_ends) /* 43 */
{
    stk_test_watchdog(60);
    stk_dataset *data = RANGE(0);
    APPLY(data, repeat, -1);
    EXPECT_INT_EQ(0, stk_dataset_cardinality(data));
    EXPECT_GIVES(".", data);
    data = RANGE(3); /* nothing, but nobody knows beforehand */
    APPLY(data, map, stk_test_add(1), NULL);
    APPLY(data, filter, stk_test_divides(100));
    APPLY(data, repeat, -1);
    EXPECT_INT_EQ(STK_CARDINALITY_INFINITE, stk_dataset_cardinality(data));
    EXPECT_GIVES(".", data);
}

STK_TEST(infinite_data_in_batches_is_infinite) /* 44 */
{
    stk_dataset *data = RANGE(5);
    APPLY(data, repeat, -1);
    APPLY(data, batch, 2, NULL);
    EXPECT_INT_EQ(STK_CARDINALITY_INFINITE, stk_dataset_cardinality(data));
    EXPECT_BEGINS(4, "[0 1] [2 3] [4 0] [1 2] ...", data);
}

STK_TEST(a_few_of_infinite_data_are_a_few) /* 44 */
{
    stk_dataset *data = RANGE(5);
    APPLY(data, repeat, -1);
    APPLY(data, take, 2);
    EXPECT_INT_EQ(2, stk_dataset_cardinality(data));
    EXPECT_GIVES("0 1 .", data);
}

STK_TEST(a_product_too_large_to_count_is_infinite)
{
    stk_dataset *data = RANGE(INT64_MAX);
    APPLY(data, repeat, 3);
    EXPECT_INT_EQ(STK_CARDINALITY_INFINITE, stk_dataset_cardinality(data));
    stk_dataset_unref(data);
}

STK_TEST(errors_come_again_in_every_pass)
{
    stk_dataset *data = RANGE(3);
    APPLY(data, map, stk_test_fail_on(1), NULL);
    APPLY(data, repeat, 2);
    EXPECT_GIVES("0 !invalid_argument 2 0 !invalid_argument 2 .", data);
}

STK_TEST(passes_are_epochs)
{
    stk_error     err;
    stk_iterator *it;
    stk_element  *element;
    stk_dataset  *data = RANGE(1);
    PUT(data, repeat, 2);
    PUT(data, repeat, 2);
    EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
    for (int i = 0; i < 4; i++) {
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        EXPECT_INT_EQ(i, stk_element_origin(element)->epoch);
        stk_element_unref(element);
    }
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

STK_TEST(turned_bits_in_checkpoints_of_repeat_are_harmless)
{
    stk_test_watchdog(120);
    stk_dataset *data = RANGE(3);
    APPLY(data, repeat, 3);
    APPLY(data, repeat, 3);
    stk_test_damage(data, 5);
}

static stk_status build_and_run(void *context, stk_error *err)
{
    (void)context;
    stk_dataset *data;
    STK_TRY(stk_dataset_range(&data, 0, 2, 1, err));
    stk_status st = stk_dataset_repeat(&data, 2, err);
    if (st) {
        stk_dataset_unref(data);
        return st;
    }
    return stk_test_drain(data, err);
}

STK_TEST(repeat_survives_every_failing_allocation)
{
    stk_test_fail_each_allocation(build_and_run, NULL);
}
