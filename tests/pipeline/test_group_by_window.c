#include "pipeline_support.h"

#include <inttypes.h>

/* (key, window) -> the window in batches of n. */
static stk_status batches(void *n, const stk_call *call, const stk_element *element,
                          stk_dataset **out, stk_error *err)
{
    (void)call;
    *out = stk_dataset_ref(stk_element_value(element, 1)->small.dataset);
    return stk_dataset_batch(out, (int64_t)(intptr_t)n, NULL, err);
}

/* The window itself, through a map. */
static stk_status mapped(void *map, const stk_call *call, const stk_element *element,
                         stk_dataset **out, stk_error *err)
{
    (void)call;
    *out = stk_dataset_ref(stk_element_value(element, 1)->small.dataset);
    return stk_dataset_map(out, map, NULL, err);
}

/* Fails for key n. */
static stk_status unless_key(void *n, const stk_call *call, const stk_element *element,
                             stk_dataset **out, stk_error *err)
{
    if (stk_test_number(element) == (int64_t)(intptr_t)n)
        return stk_fail(err, STK_E_NOTFOUND, "test", NULL, "no window for %" PRId64,
                        stk_test_number(element));
    return batches((void *)10, call, element, out, err);
}

/* x % 3 - 1, and an error for n. */
static stk_status third(void *n, const stk_call *call, const stk_element *element, int64_t *key,
                        stk_error *err)
{
    (void)call;
    if (n && stk_test_number(element) == (int64_t)(intptr_t)n)
        return stk_fail(err, STK_E_INVALID, "test", NULL, "no key");
    *key = stk_test_number(element) % 3 - 1;
    return STK_OK;
}

/* key + n */
static stk_status size_of(void *n, const stk_call *call, const stk_element *element, int64_t *size,
                          stk_error *err)
{
    (void)call;
    (void)err;
    *size = stk_test_number(element) + (int64_t)(intptr_t)n;
    return STK_OK;
}

static stk_function *in_batches(int64_t n)
{
    return stk_test_expand("batches", batches, (void *)(intptr_t)n);
}

STK_TEST(a_window_is_given_as_soon_as_it_is_full) /* 35 */
{
    stk_dataset *data = NUMBERS(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 0, 0, 2, 2, 0, 0);
    APPLY(data, repeat, -1);
    APPLY(data, group_by_window, stk_test_modulo(3), in_batches(4), 4, NULL);
    EXPECT_INT_EQ(STK_CARDINALITY_INFINITE, stk_dataset_cardinality(data));
    EXPECT_BEGINS(8,
                  "[0 0 0 0] [1 1 1 1] [2 2 2 2] [0 0 0 0] [0 0 0 0] [1 1 1 1] [2 2 2 2] "
                  "[0 0 0 0] ...",
                  data);
}

STK_TEST(windows_that_are_not_full_come_at_the_end_in_the_order_of_keys) /* 35 */
{
    stk_dataset *data = NUMBERS(0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0);
    APPLY(data, group_by_window, stk_test_modulo(3), in_batches(4), 4, NULL);
    EXPECT_INT_EQ(STK_CARDINALITY_UNKNOWN, stk_dataset_cardinality(data));
    EXPECT_GIVES("[0 0 0 0] [1 1 1 1] [0 0 0] [1] .", data);
}

STK_TEST(the_order_of_keys_is_that_of_numbers) /* 35 */
{
    stk_dataset *data = NUMBERS(7, -3, 100, 0, -50, 7, 41, -3);
    APPLY(data, group_by_window, stk_test_modulo(1000), in_batches(10), 5, NULL);
    EXPECT_GIVES("[-50] [-3 -3] [0] [7 7] [41] [100] .", data);
}

STK_TEST(window_sizes_may_depend_on_the_key) /* as TensorFlow's */
{
    stk_dataset *data = RANGE(12);
    APPLY(data, group_by_window, stk_test_key("third", third, NULL), in_batches(10), 0,
          stk_test_key("size", size_of, (void *)2));
    EXPECT_GIVES("[0] [3] [1 4] [6] [2 5 8] [9] [7 10] [11] .", data);
}

STK_TEST(a_window_size_of_nothing_is_an_error) /* 35 */
{
    stk_error    err;
    stk_dataset *data = RANGE(12);
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_group_by_window(&data, stk_test_modulo(3),
                                                             in_batches(4), 0, NULL, &err));
    EXPECT_CONTAINS("the window size is 0", err.message);
    APPLY(data, group_by_window, stk_test_key("third", third, NULL), in_batches(10), 0,
          stk_test_key("size", size_of, (void *)1));
    EXPECT_GIVES("!invalid_argument [1] !invalid_argument [4] [2 5] !invalid_argument [7] "
                 "!invalid_argument [10] [8 11] .",
                 data);
}

STK_TEST(errors_of_input_and_key_have_their_places_in_group_by_window) /* as TensorFlow's */
{
    static const char text[] = "[0 3] [1 4] !invalid_argument [2 8] [6 9] [7 10] [11] .";
    stk_dataset      *data = RANGE(12);
    APPLY(data, map, stk_test_fail_on(5), NULL);
    APPLY(data, group_by_window, stk_test_modulo(3), in_batches(2), 2, NULL);
    EXPECT_GIVES(text, data);
    data = RANGE(12);
    APPLY(data, group_by_window, stk_test_key("third", third, (void *)5), in_batches(2), 2, NULL);
    EXPECT_GIVES(text, data);
}

STK_TEST(an_error_inside_a_window_has_its_place) /* as TensorFlow's */
{
    stk_dataset *data = RANGE(12);
    APPLY(data, group_by_window, stk_test_modulo(3),
          stk_test_expand("mapped", mapped, stk_test_fail_on(5)), 2, NULL);
    EXPECT_GIVES("0 3 1 4 2 !invalid_argument 6 9 7 10 8 11 .", data);
}

STK_TEST(a_window_that_cannot_be_reduced_is_one_error)
{
    stk_dataset *data = RANGE(8);
    APPLY(data, group_by_window, stk_test_modulo(3),
          stk_test_expand("unless", unless_key, (void *)1), 2, NULL);
    EXPECT_GIVES("[0 3] !not_found [2 5] [6] !not_found .", data);
}

STK_TEST(thousands_of_keys_come_in_order)
{
    stk_dataset *data = stk_test_range(2999, -1, -1);
    APPLY(data, group_by_window, stk_test_modulo(3000), in_batches(10), 2, NULL);
    stk_error     err;
    stk_iterator *it;
    EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
    for (int64_t i = 0; i < 3000; i++) {
        stk_element *element;
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        EXPECT_INT_EQ(i, stk_test_number(element));
        stk_element_unref(element);
    }
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

STK_TEST(group_by_window_refuses_other_functions)
{
    stk_error    err;
    stk_dataset *data = RANGE(3);
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_group_by_window(&data, stk_test_add(1), in_batches(4),
                                                             1, NULL, &err));
    EXPECT_CONTAINS("no key function", err.message);
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_group_by_window(&data, stk_test_modulo(2),
                                                             stk_test_add(1), 1, NULL, &err));
    EXPECT_CONTAINS("expand function", err.message);
    EXPECT_STATUS(STK_E_INVALID,
                  stk_dataset_group_by_window(&data, stk_test_modulo(2), in_batches(4), 0,
                                              stk_test_add(1), &err));
    EXPECT_CONTAINS("no key function", err.message);
    stk_dataset_unref(data);
}

STK_TEST(what_groups_hold_is_in_the_ledger)
{
    stk_error     err;
    stk_iterator *it;
    stk_element  *element;
    stk_dataset  *data = RANGE(100000);
    APPLY(data, group_by_window, stk_test_modulo(7), in_batches(10), 100000, NULL);
    const stk_iterator_options options = {.threads = 1, .memory_bytes = 1 << 20};
    EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
    EXPECT_STATUS(STK_E_CEILING, stk_iterator_next(it, &element, &err));
    EXPECT_STR_EQ("group_by_window", err.component);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

static stk_function *keys, *sizes, *reduce;

static stk_status build(stk_dataset **out, stk_error *err)
{
    STK_TRY(stk_dataset_range(out, 0, 8, 1, err));
    return stk_dataset_group_by_window(out, keys, reduce, 0, sizes, err);
}

STK_TEST(group_by_window_survives_every_failing_allocation)
{
    keys = stk_test_key("third", third, NULL);
    reduce = in_batches(2);
    sizes = stk_test_key("size", size_of, (void *)4);
    stk_test_without_memory(build, 5);
}

STK_TEST(damaged_checkpoints_of_group_by_window_are_harmless)
{
    stk_test_watchdog(60);
    stk_dataset *data = RANGE(30);
    APPLY(data, group_by_window, stk_test_modulo(3), in_batches(2), 5, NULL);
    stk_test_damage(data, 4);
}
