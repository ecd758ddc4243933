#include "pipeline_support.h"

/* Takes over both. */
static stk_dataset *joined(stk_dataset *first, stk_dataset *second)
{
    stk_test_concatenate(&first, second);
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

/* Takes over all of inputs. */
static stk_dataset *all_of(stk_dataset **inputs, size_t count)
{
    stk_dataset *data;
    stk_error    err;
    EXPECT_OK(stk_dataset_concatenate(&data, inputs, count, &err));
    for (size_t i = 0; i < count; i++)
        stk_dataset_unref(inputs[i]);
    return data;
}

STK_TEST(concatenate_takes_any_number_of_inputs)
{
    stk_error    err;
    stk_element *element;
    EXPECT_GIVES("0 1 .", all_of((stk_dataset *[]){RANGE(2)}, 1));
    stk_dataset *data = all_of((stk_dataset *[]){RANGE(2), RANGE(0), NUMBERS(5), NUMBERS(7, 8)}, 4);
    EXPECT_INT_EQ(5, stk_dataset_cardinality(data));
    EXPECT_OK(stk_dataset_at(data, 3, &element, &err));
    EXPECT_INT_EQ(7, stk_test_number(element));
    stk_element_unref(element);
    APPLY(data, skip, 1);
    EXPECT_GIVES("1 5 7 8 .", data);
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
    stk_dataset       *pairs, *none;
    stk_error          err;
    EXPECT_OK(stk_dataset_zip(&pairs, twice, 2, &err));
    EXPECT_REFUSED(STK_E_TYPE, "one input has 1 values an element, another has 2",
                   stk_dataset_concatenate(&none, (stk_dataset *[]){twice[0], pairs}, 2, &err));
    assert_null(none);
    stk_dataset_unref(pairs);
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
    EXPECT_REFUSED(STK_E_UNSUPPORTED, "input 0 (filter)", stk_dataset_at(data, 0, &element, &err));
    stk_dataset_unref(data);
}

STK_TEST(damaged_checkpoints_of_concatenate_are_harmless)
{
    stk_test_watchdog(60);
    stk_test_damage(joined(RANGE(3), NUMBERS(7, 8)), 4);
}

static stk_status build(stk_dataset **out, stk_error *err)
{
    stk_dataset *inputs[3] = {0};
    stk_status   st = stk_dataset_range(&inputs[0], 0, 3, 1, err);
    if (!st) st = stk_dataset_range(&inputs[1], 0, 0, 1, err);
    if (!st) st = stk_dataset_range(&inputs[2], 0, 4, 1, err);
    if (!st) st = stk_dataset_concatenate(out, inputs, 3, err);
    for (size_t i = 0; i < 3; i++)
        stk_dataset_unref(inputs[i]);
    return st;
}

STK_TEST(concatenate_survives_want_of_memory)
{
    stk_test_without_memory(build, 7);
}
