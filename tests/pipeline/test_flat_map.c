#include "pipeline_support.h"

#include <inttypes.h>

/* x -> 10 x, 10 x + 1, 10 x + 2 */
static stk_status three(void *context, const stk_call *call, const stk_element *element,
                        stk_dataset **out, stk_error *err)
{
    (void)context;
    (void)call;
    const int64_t first = stk_test_number(element) * 10;
    return stk_dataset_range(out, first, first + 3, 1, err);
}

/* The same through a map. */
static stk_status three_mapped(void *map, const stk_call *call, const stk_element *element,
                               stk_dataset **out, stk_error *err)
{
    STK_TRY(three(NULL, call, element, out, err));
    return stk_dataset_map(out, map, NULL, err);
}

static stk_status none_of(void *n, const stk_call *call, const stk_element *element,
                          stk_dataset **out, stk_error *err)
{
    if (stk_test_number(element) == (int64_t)(intptr_t)n)
        return stk_fail(err, STK_E_NOTFOUND, "open", NULL, "there is no %" PRId64,
                        stk_test_number(element));
    return three(NULL, call, element, out, err);
}

static stk_status nothing(void *context, const stk_call *call, const stk_element *element,
                          stk_dataset **out, stk_error *err)
{
    (void)context;
    (void)call;
    (void)element;
    (void)out;
    (void)err;
    return STK_OK;
}

STK_TEST(flat_map_gives_one_dataset_after_the_other) /* 13 */
{
    stk_dataset *data = NUMBERS(1, 2, 3);
    APPLY(data, flat_map, stk_test_copies());
    EXPECT_GIVES("1 2 2 3 3 3 .", data);
}

STK_TEST(flat_map_passes_over_empty_datasets) /* 13 */
{
    stk_dataset *data = NUMBERS(0, 2, 0, 0, 1, 0);
    APPLY(data, flat_map, stk_test_copies());
    EXPECT_GIVES("2 2 1 .", data);
    data = NUMBERS(0, 0);
    APPLY(data, flat_map, stk_test_copies());
    EXPECT_GIVES(".", data);
}

STK_TEST(flat_map_of_flat_map_under_repeat_and_batch)
{
    stk_dataset *data = NUMBERS(1, 3, 2);
    APPLY(data, flat_map, stk_test_copies());
    APPLY(data, flat_map, stk_test_copies());
    APPLY(data, repeat, 2);
    APPLY(data, batch, 4, NULL);
    EXPECT_GIVES("[1 3 3 3] [3 3 3 3] [3 3 2 2] [2 2 1 3] [3 3 3 3] [3 3 3 3] [2 2 2 2] .", data);
}

STK_TEST(an_error_of_the_input_has_its_place_in_flat_map)
{
    stk_dataset *data = RANGE(5);
    APPLY(data, map, stk_test_fail_on(2), NULL);
    APPLY(data, flat_map, stk_test_expand("three", three, NULL));
    EXPECT_GIVES("0 1 2 10 11 12 !invalid_argument 30 31 32 40 41 42 .", data);
}

STK_TEST(an_error_inside_an_inner_dataset_has_its_place_in_flat_map)
{
    stk_dataset *data = RANGE(3);
    APPLY(data, flat_map, stk_test_expand("three", three_mapped, stk_test_fail_on(11)));
    EXPECT_GIVES("0 1 2 10 !invalid_argument 12 20 21 22 .", data);
}

STK_TEST(an_error_of_the_function_has_its_place_in_flat_map)
{
    stk_dataset *data = RANGE(4);
    APPLY(data, flat_map, stk_test_expand("three", none_of, (void *)2));
    EXPECT_GIVES("0 1 2 10 11 12 !not_found 30 31 32 .", data);
}

STK_TEST(a_function_that_makes_no_dataset_is_an_error_and_does_not_end_the_data)
{
    stk_error    err;
    stk_element *element;
    stk_dataset *data = NUMBERS(1);
    APPLY(data, flat_map, stk_test_expand("lazy", nothing, NULL));
    stk_iterator *it;
    EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_iterator_next(it, &element, &err));
    EXPECT_CONTAINS("made no dataset", err.message);
    EXPECT_OK(stk_iterator_next(it, &element, &err));
    EXPECT(!element);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

static stk_status swallow(void *n, const stk_call *call, stk_element **element, stk_error *err)
{
    (void)call;
    (void)err;
    if (stk_test_number(*element) != (int64_t)(intptr_t)n) return STK_OK;
    stk_element_unref(*element);
    *element = NULL;
    return STK_OK;
}

STK_TEST(a_map_cannot_end_the_data) /* 6 */
{
    stk_dataset *data = RANGE(5);
    APPLY(data, map, stk_test_map("swallow", swallow, (void *)2, 0), NULL);
    EXPECT_GIVES("0 1 !invalid_argument 3 4 .", data);
}

STK_TEST(flat_map_refuses_other_functions_and_knows_its_number) /* 24 */
{
    stk_error    err;
    stk_dataset *data = RANGE(5);
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_flat_map(&data, stk_test_add(1), &err));
    EXPECT_CONTAINS("expand function", err.message);
    APPLY(data, flat_map, stk_test_copies());
    EXPECT_INT_EQ(STK_CARDINALITY_UNKNOWN, stk_dataset_cardinality(data));
    stk_dataset_unref(data);
    data = RANGE(5);
    APPLY(data, repeat, -1);
    APPLY(data, flat_map, stk_test_copies());
    EXPECT_INT_EQ(STK_CARDINALITY_INFINITE, stk_dataset_cardinality(data));
    EXPECT_BEGINS(12, "1 2 2 3 3 3 4 4 4 4 1 2 ...", data);
}

STK_TEST(flat_map_takes_its_spec_from_the_function_and_holds_it_to_it)
{
    stk_error               err;
    stk_function           *function;
    const stk_value_spec    number = {.name = "x", .dtype = STK_DTYPE_I64, .rank_known = true};
    const stk_value_spec    text = {.name = "x", .dtype = STK_DTYPE_BYTES, .rank_known = true};
    const stk_element_spec  numbers = {.known = true, .count = 1, .values = &number};
    const stk_element_spec  texts = {.known = true, .count = 1, .values = &text};
    const stk_function_info right = {.name = "three", .expand = three, .output = &numbers};
    const stk_function_info wrong = {.name = "three", .expand = three, .output = &texts};
    stk_dataset            *data = RANGE(1);
    EXPECT_OK(stk_function_new(&function, &right, &err));
    APPLY(data, flat_map, function);
    stk_function_unref(function);
    EXPECT_STR_EQ("x", stk_dataset_spec(data)->values[0].name);
    EXPECT_GIVES("0 1 2 .", data);
    data = RANGE(1);
    EXPECT_OK(stk_function_new(&function, &wrong, &err));
    APPLY(data, flat_map, function);
    stk_function_unref(function);
    EXPECT_GIVES("!wrong_type !wrong_type !wrong_type .", data);
}

static stk_function *threes;

static stk_status build(stk_dataset **out, stk_error *err)
{
    STK_TRY(stk_dataset_range(out, 0, 4, 1, err));
    return stk_dataset_flat_map(out, threes, err);
}

STK_TEST(flat_map_survives_every_failing_allocation)
{
    threes = stk_test_expand("three", three, NULL);
    stk_test_without_memory(build, 12);
}

STK_TEST(flat_maps_of_other_functions_have_other_fingerprints)
{
    stk_dataset *a = RANGE(3), *b = RANGE(3);
    APPLY(a, flat_map, stk_test_copies());
    APPLY(b, flat_map, stk_test_expand("three", three, NULL));
    EXPECT(stk_dataset_fingerprint(a) != stk_dataset_fingerprint(b));
    stk_dataset_unref(a);
    stk_dataset_unref(b);
}

STK_TEST(what_is_passed_over_in_flat_map_counts_errors_as_results)
{
    stk_dataset *data = RANGE(7);
    APPLY(data, map, stk_test_fail_on(2), &(stk_map_options){.parallel = 1});
    APPLY(data, flat_map, stk_test_expand("three", none_of, (void *)4));
    APPLY(data, window, 2, &(stk_window_options){.shift = 5, .stride = 1});
    EXPECT_GIVES("<0 1> !invalid_argument !not_found <61 62> .", data);
}

STK_TEST(damaged_checkpoints_of_flat_map_are_harmless)
{
    stk_test_watchdog(60);
    stk_dataset *data = NUMBERS(1, 3, 2);
    APPLY(data, flat_map, stk_test_expand("three", three, NULL));
    stk_test_damage(data, 5);
}

/* The flat_map runs ahead in a queue; what is taken comes from the other input. */
STK_TEST(a_flat_map_that_never_finds_anything_ends_with_its_consumer)
{
    stk_error     err;
    stk_iterator *it;
    stk_element  *element;
    stk_dataset  *inputs[] = {NUMBERS(0), RANGE(3)}, *data, *choices = NUMBERS(1, 0, 1);
    stk_test_watchdog(60);
    APPLY(inputs[0], repeat, -1);
    APPLY(inputs[0], flat_map, stk_test_copies());
    APPLY(inputs[0], prefetch, 2);
    EXPECT_OK(stk_dataset_choose_from(&data, inputs, 2, choices, NULL, &err));
    APPLY(data, prefetch, 2);
    EXPECT_OK(stk_iterator_start(&it, data, &(stk_iterator_options){.threads = 3}, &err));
    EXPECT_OK(stk_iterator_next(it, &element, &err));
    EXPECT_INT_EQ(0, stk_test_number(element));
    stk_element_unref(element);
    stk_iterator_free(it);
    stk_dataset_unref(data);
    stk_dataset_unref(choices);
    stk_dataset_unref(inputs[0]);
    stk_dataset_unref(inputs[1]);
}
