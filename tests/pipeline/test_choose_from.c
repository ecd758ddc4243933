#include "pipeline_support.h"

static stk_dataset *strings(const char *text, size_t count)
{
    stk_error    err;
    stk_element *list[8];
    stk_dataset *data;
    for (size_t i = 0; i < count; i++) {
        EXPECT_OK(stk_element_new(&list[i], 1, &err));
        stk_value_view(stk_element_edit(list[i], 0), stk_bytes_text(text), NULL);
    }
    EXPECT_OK(stk_dataset_elements(&data, list, count, &err));
    for (size_t i = 0; i < count; i++)
        stk_element_unref(list[i]);
    return data;
}

/* Takes over all references. */
static stk_dataset *choose(stk_dataset **inputs, size_t count, stk_dataset *choices, bool stop)
{
    stk_error    err;
    stk_dataset *data;
    EXPECT_OK(stk_dataset_choose_from(&data, inputs, count, choices,
                                      &(stk_choose_options){.stop_on_empty = stop}, &err));
    for (size_t i = 0; i < count; i++)
        stk_dataset_unref(inputs[i]);
    stk_dataset_unref(choices);
    return data;
}

static stk_dataset *foo_bar_baz(bool stop)
{
    stk_dataset *inputs[] = {strings("foo", 2), strings("bar", 4), strings("baz", 4)};
    return choose(inputs, 3, NUMBERS(0, 0, 0, 1, 1, 1, 2, 2, 2), stop);
}

STK_TEST(choose_from_stops_with_the_first_that_is_empty_or_goes_on) /* 48 */
{
    EXPECT_GIVES("'foo' 'foo' .", foo_bar_baz(true));
    EXPECT_GIVES("'foo' 'foo' 'bar' 'bar' 'bar' 'baz' 'baz' 'baz' .", foo_bar_baz(false));
}

static stk_dataset *ranges(stk_dataset *choices, bool stop)
{
    stk_dataset *inputs[] = {stk_test_range(0, 2, 1), stk_test_range(10, 13, 1),
                             stk_test_range(20, 21, 1)};
    return choose(inputs, 3, choices, stop);
}

STK_TEST(choices_of_used_up_datasets_are_passed_over) /* 48: as TensorFlow's */
{
    EXPECT_GIVES("0 1 10 20 .", ranges(NUMBERS(0, 0, 1, 2, 0, 1, 1, 2, 2, 0, 1), true));
    EXPECT_GIVES("0 1 10 20 11 12 .", ranges(NUMBERS(0, 0, 1, 2, 0, 1, 1, 2, 2, 0, 1), false));
    EXPECT_GIVES(".", ranges(RANGE(0), false));
}

STK_TEST(a_choice_out_of_range_is_an_error_in_its_place) /* 48: as TensorFlow's */
{
    EXPECT_GIVES("0 !invalid_argument 10 1 !invalid_argument 20 .",
                 ranges(NUMBERS(0, 5, 1, 0, -1, 2), false));
    stk_error     err;
    stk_iterator *it;
    stk_element  *element;
    stk_dataset  *data = ranges(NUMBERS(3), false);
    EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_iterator_next(it, &element, &err));
    EXPECT_CONTAINS("the choice is 3; there are 3 datasets", err.message);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

STK_TEST(errors_of_inputs_and_choices_have_their_places_in_choose_from)
{
    stk_dataset *inputs[] = {RANGE(3), stk_test_range(10, 13, 1)};
    APPLY(inputs[0], map, stk_test_fail_on(1), NULL);
    stk_dataset *choices = NUMBERS(0, 0, 1, 7, 0, 1);
    APPLY(choices, map, stk_test_fail_on(7), NULL);
    EXPECT_GIVES("0 !invalid_argument 10 !invalid_argument 2 11 .",
                 choose(inputs, 2, choices, false));
}

STK_TEST(choices_without_end_end_with_the_data)
{
    stk_dataset *choices = NUMBERS(1, 0);
    APPLY(choices, repeat, -1);
    stk_dataset *inputs[] = {RANGE(1), stk_test_range(10, 13, 1)};
    stk_dataset *data = choose(inputs, 2, choices, false);
    EXPECT_INT_EQ(STK_CARDINALITY_UNKNOWN, stk_dataset_cardinality(data));
    EXPECT_GIVES("10 0 11 12 .", data);
}

STK_TEST(choices_must_be_int64_scalars) /* 48 */
{
    stk_error    err;
    stk_dataset *data, *input = RANGE(3), *choices = strings("0", 1);
    EXPECT_STATUS(STK_E_TYPE,
                  stk_dataset_choose_from(&data, &input, 1, choices,
                                          &(stk_choose_options){.stop_on_empty = true}, &err));
    EXPECT_CONTAINS("int64 scalar", err.message);
    stk_dataset_unref(choices);
    choices = RANGE(4);
    APPLY(choices, batch, 2, NULL);
    EXPECT_STATUS(STK_E_TYPE,
                  stk_dataset_choose_from(&data, &input, 1, choices,
                                          &(stk_choose_options){.stop_on_empty = true}, &err));
    EXPECT_STATUS(STK_E_INVALID,
                  stk_dataset_choose_from(&data, NULL, 0, choices,
                                          &(stk_choose_options){.stop_on_empty = true}, &err));
    EXPECT_CONTAINS("no dataset to take from", err.message);
    stk_dataset_unref(choices);
    stk_dataset_unref(input);
}

STK_TEST(inputs_to_choose_from_must_have_the_same_types)
{
    stk_error    err;
    stk_dataset *data, *inputs[] = {RANGE(3), strings("a", 1)}, *choices = RANGE(2);
    EXPECT_STATUS(STK_E_TYPE,
                  stk_dataset_choose_from(&data, inputs, 2, choices,
                                          &(stk_choose_options){.stop_on_empty = true}, &err));
    stk_dataset_unref(inputs[0]);
    stk_dataset_unref(inputs[1]);
    stk_dataset_unref(choices);
}

STK_TEST(damaged_checkpoints_of_choose_from_are_harmless)
{
    stk_test_watchdog(60);
    stk_test_damage(ranges(NUMBERS(0, 0, 1, 2, 0, 1, 1, 2, 2, 0, 1), false), 4);
}
