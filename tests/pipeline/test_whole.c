#include "pipeline_support.h"

static stk_status sum(void *context, const stk_call *call, stk_element **state,
                      stk_element **element, stk_error *err)
{
    (void)context;
    (void)call;
    const int64_t total = stk_test_number(*state) + stk_test_number(*element);
    STK_TRY(stk_element_make_unique(state, err));
    stk_value_i64(stk_element_edit(*state, 0), total);
    return STK_OK;
}

/* Leaves no element, and a state of another type at the second. */
static stk_status turn_float(void *context, const stk_call *call, stk_element **state,
                             stk_element **element, stk_error *err)
{
    (void)context;
    stk_element_unref(*element);
    *element = NULL;
    if (!call->index) return STK_OK;
    STK_TRY(stk_element_make_unique(state, err));
    stk_value_f32(stk_element_edit(*state, 0), 1);
    return STK_OK;
}

static stk_element *number(int64_t n)
{
    stk_element *element;
    stk_error    err;
    EXPECT_OK(stk_element_new(&element, 1, &err));
    stk_value_i64(stk_element_edit(element, 0), n);
    return element;
}

static void expect_sum(int64_t expected, stk_dataset *data)
{
    stk_error    err;
    stk_element *state = number(0);
    EXPECT_OK(stk_dataset_reduce(data, &state, stk_test_scan("sum", sum, NULL), NULL, &err));
    EXPECT_INT_EQ(expected, stk_test_number(state));
    stk_element_unref(state);
    stk_dataset_unref(data);
}

STK_TEST(reduce_adds_up) /* 51 */
{
    stk_test_watchdog(60);
    expect_sum(10, RANGE(5));
    expect_sum(0, RANGE(0));
    stk_dataset *data = RANGE(1000);
    APPLY(data, map, stk_test_multiply(2), NULL);
    expect_sum(999000, data);
}

STK_TEST(an_error_ends_reduce_and_leaves_the_state)
{
    stk_error    err;
    stk_element *total = number(3);
    stk_dataset *data = RANGE(5);
    APPLY(data, map, stk_test_fail_on(2), NULL);
    EXPECT_REFUSED(STK_E_INVALID, "the number is 2",
                   stk_dataset_reduce(data, &total, stk_test_scan("sum", sum, NULL), NULL, &err));
    EXPECT_INT_EQ(3, stk_test_number(total));
    EXPECT_REFUSED(STK_E_INVALID, "the function is no scan function",
                   stk_dataset_reduce(data, &total, stk_test_add(1), NULL, &err));
    stk_element *none = NULL;
    EXPECT_REFUSED(STK_E_INVALID, "there is no first state",
                   stk_dataset_reduce(data, &none, stk_test_scan("sum", sum, NULL), NULL, &err));
    stk_dataset_unref(data);
    data = RANGE(5);
    EXPECT_REFUSED(
        STK_E_TYPE, "value 0 of the state became float32",
        stk_dataset_reduce(data, &total, stk_test_scan("float", turn_float, NULL), NULL, &err));
    EXPECT_INT_EQ(3, stk_test_number(total));
    stk_element_unref(total);
    stk_dataset_unref(data);
}

STK_TEST(single_gives_the_only_element) /* 51 */
{
    stk_error    err;
    stk_element *element;
    stk_dataset *data = NUMBERS(7);
    EXPECT_OK(stk_dataset_single(data, &element, NULL, &err));
    EXPECT_INT_EQ(7, stk_test_number(element));
    stk_element_unref(element);
    stk_dataset_unref(data);
}

STK_TEST(single_refuses_none_and_two) /* 51 */
{
    stk_error    err;
    stk_element *element;
    stk_dataset *data = RANGE(0);
    EXPECT_REFUSED(STK_E_INVALID, "the dataset has no elements; it must have exactly 1",
                   stk_dataset_single(data, &element, NULL, &err));
    assert_null(element);
    stk_dataset_unref(data);
    data = RANGE(2);
    EXPECT_REFUSED(STK_E_INVALID, "the dataset has more than 1 element",
                   stk_dataset_single(data, &element, NULL, &err));
    assert_null(element);
    APPLY(data, map, stk_test_fail_on(1), NULL);
    EXPECT_REFUSED(STK_E_INVALID, "the number is 1",
                   stk_dataset_single(data, &element, NULL, &err));
    assert_null(element);
    stk_dataset_unref(data);
}

static stk_function *adder;

static stk_status reduce_frugally(void *context, stk_error *err)
{
    (void)context;
    const stk_iterator_options options = {.threads = 1, .passes_off = STK_PASS_ALL};
    stk_dataset               *data;
    stk_element               *state = NULL, *only = NULL;
    STK_TRY(stk_dataset_range(&data, 0, 5, 1, err));
    stk_status st = stk_element_new(&state, 1, err);
    if (!st) stk_value_i64(stk_element_edit(state, 0), 0);
    if (!st) st = stk_dataset_reduce(data, &state, adder, &options, err);
    if (!st) st = stk_dataset_take(&data, 1, err);
    if (!st) st = stk_dataset_single(data, &only, &options, err);
    stk_element_unref(state);
    stk_element_unref(only);
    stk_dataset_unref(data);
    return st;
}

STK_TEST(whole_runs_survive_want_of_memory)
{
    adder = stk_test_scan("sum", sum, NULL);
    stk_test_fail_each_allocation(reduce_frugally, NULL);
}
