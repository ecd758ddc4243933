#include "pipeline_support.h"

/* Takes over both. */
static stk_dataset *joined(stk_dataset *first, stk_dataset *second)
{
    APPLY(first, concatenate, second);
    stk_dataset_unref(second);
    return first;
}

STK_TEST(concatenate_gives_one_after_the_other) /* 42 */
{
    stk_test_watchdog(60);
    EXPECT_GIVES("0 1 2 10 11 .", joined(RANGE(3), stk_test_range(10, 12, 1)));
    EXPECT_GIVES("10 11 .", joined(RANGE(0), stk_test_range(10, 12, 1)));
    EXPECT_GIVES("0 1 .", joined(RANGE(2), RANGE(0)));
    EXPECT_GIVES("0 1 5 7 .", joined(joined(RANGE(2), NUMBERS(5)), NUMBERS(7)));
}

STK_TEST(concatenate_leaves_errors_in_their_places) /* 4 */
{
    stk_dataset *first = RANGE(3), *second = RANGE(3);
    APPLY(first, map, stk_test_fail_on(1), NULL);
    APPLY(second, map, stk_test_fail_on(2), NULL);
    EXPECT_GIVES("0 !invalid_argument 2 0 1 !invalid_argument .", joined(first, second));
}

STK_TEST(concatenate_is_done_in_every_pass)
{
    stk_dataset *data = joined(RANGE(2), NUMBERS(7));
    APPLY(data, repeat, 2);
    EXPECT_GIVES("0 1 7 0 1 7 .", data);
}

STK_TEST(concatenate_relaxes_shapes_and_refuses_other_types) /* 42 */
{
    stk_dataset *data = stk_test_vectors(1, (size_t[]){2}, (int64_t[]){1, 2});
    data = joined(data, stk_test_vectors(1, (size_t[]){3}, (int64_t[]){3, 4, 5}));
    const stk_value_spec *value = stk_dataset_spec(data)->values;
    EXPECT_INT_EQ(1, value->shape.rank);
    EXPECT_INT_EQ(-1, value->shape.dim[0]);
    EXPECT_GIVES("[1 2] [3 4 5] .", data);
    stk_dataset *const twice[] = {RANGE(2), RANGE(2)};
    stk_dataset       *pairs, *numbers = RANGE(3);
    stk_error          err;
    EXPECT_OK(stk_dataset_zip(&pairs, twice, 2, &err));
    EXPECT_REFUSED(STK_E_TYPE, "one input has 1 values an element, another has 2",
                   stk_dataset_concatenate(&numbers, pairs, &err));
    stk_dataset_unref(pairs);
    stk_dataset_unref(numbers);
    stk_dataset_unref(twice[0]);
    stk_dataset_unref(twice[1]);
}

static stk_dataset *endless(void)
{
    stk_dataset *data = RANGE(2);
    APPLY(data, repeat, -1);
    return data;
}

static stk_dataset *unknown(void)
{
    stk_dataset *data = RANGE(2);
    APPLY(data, filter, stk_test_divides(1));
    return data;
}

static void expect_cardinality(int64_t expected, stk_dataset *data)
{
    EXPECT_INT_EQ(expected, stk_dataset_cardinality(data));
    stk_dataset_unref(data);
}

STK_TEST(cardinality_of_concatenate) /* 42 */
{
    expect_cardinality(7, joined(RANGE(3), RANGE(4)));
    expect_cardinality(STK_CARDINALITY_INFINITE, joined(unknown(), endless()));
    expect_cardinality(STK_CARDINALITY_INFINITE, joined(endless(), RANGE(3)));
    expect_cardinality(STK_CARDINALITY_UNKNOWN, joined(unknown(), RANGE(3)));
    expect_cardinality(STK_CARDINALITY_INFINITE, joined(stk_test_range(0, INT64_MAX, 1), RANGE(3)));
}

STK_TEST(concatenate_by_number) /* 74 */
{
    stk_error    err;
    stk_element *element;
    stk_dataset *data = joined(RANGE(3), stk_test_range(10, 12, 1));
    EXPECT_OK(stk_dataset_at(data, 2, &element, &err));
    EXPECT_INT_EQ(2, stk_test_number(element));
    stk_element_unref(element);
    EXPECT_OK(stk_dataset_at(data, 4, &element, &err));
    EXPECT_INT_EQ(11, stk_test_number(element));
    stk_element_unref(element);
    EXPECT_STATUS(STK_E_RANGE, stk_dataset_at(data, 5, &element, &err));
    stk_dataset_unref(data);
    data = joined(unknown(), RANGE(3));
    EXPECT_REFUSED(STK_E_UNSUPPORTED, "the first input (filter)",
                   stk_dataset_at(data, 0, &element, &err));
    stk_dataset_unref(data);
}

STK_TEST(damaged_checkpoints_of_concatenate_are_harmless)
{
    stk_test_watchdog(60);
    stk_test_damage(joined(RANGE(3), NUMBERS(7, 8)), 4);
}

static stk_status build(stk_dataset **out, stk_error *err)
{
    stk_dataset *second = NULL;
    STK_TRY(stk_dataset_range(out, 0, 3, 1, err));
    STK_TRY(stk_dataset_range(&second, 0, 4, 1, err));
    stk_status st = stk_dataset_concatenate(out, second, err);
    stk_dataset_unref(second);
    return st;
}

STK_TEST(concatenate_survives_want_of_memory)
{
    stk_test_without_memory(build, 7);
}
