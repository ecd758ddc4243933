#include "pipeline_support.h"

/* Says no from the number in context on, and counts its calls. */
typedef struct below {
    int64_t bound, bad;
    int     calls;
} below;

static stk_status is_below(void *context, const stk_call *call, const stk_element *element,
                           bool *keep, stk_error *err)
{
    (void)call;
    below *b = context;
    __atomic_fetch_add(&b->calls, 1, __ATOMIC_RELAXED);
    if (stk_test_number(element) == b->bad)
        return stk_fail(err, STK_E_INVALID, "below", NULL, "the number is bad");
    *keep = stk_test_number(element) < b->bound;
    return STK_OK;
}

static stk_dataset *while_below(stk_dataset *data, below *b)
{
    APPLY(data, take_while, stk_test_test("below", is_below, b));
    return data;
}

STK_TEST(take_while_ends_before_the_first_no) /* 45 */
{
    stk_test_watchdog(60);
    below b = {.bound = 2, .bad = -1};
    EXPECT_GIVES("0 1 .", while_below(RANGE(10), &b));
    EXPECT_GIVES("1 0 .", while_below(NUMBERS(1, 0, 5, 1, 0), &b));
    EXPECT_GIVES(".", while_below(NUMBERS(7), &b));
    b.bound = 100;
    EXPECT_GIVES("0 1 2 .", while_below(RANGE(3), &b));
}

STK_TEST(take_while_never_looks_past_the_first_no) /* 45 */
{
    below        b = {.bound = 2, .bad = -1};
    stk_dataset *data = while_below(RANGE(10), &b);
    EXPECT_STR_EQ("0 1 .", stk_test_run(data, NULL, 0));
    EXPECT_INT_EQ(3, b.calls);
    EXPECT_INT_EQ(STK_CARDINALITY_UNKNOWN, stk_dataset_cardinality(data));
    stk_dataset_unref(data);
}

STK_TEST(errors_do_not_end_take_while) /* 4 */
{
    below        b = {.bound = 4, .bad = 1};
    stk_dataset *data = RANGE(6);
    EXPECT_GIVES("0 !invalid_argument 2 3 .", while_below(data, &b));
    data = RANGE(6);
    b.bad = -1;
    APPLY(data, map, stk_test_fail_on(1), NULL);
    EXPECT_GIVES("0 !invalid_argument 2 3 .", while_below(data, &b));
}

STK_TEST(take_while_ends_data_without_end_and_is_done_in_every_pass)
{
    below        b = {.bound = 3, .bad = -1};
    stk_dataset *data = RANGE(5);
    APPLY(data, repeat, -1);
    data = while_below(data, &b);
    APPLY(data, repeat, 2);
    EXPECT_GIVES("0 1 2 0 1 2 .", data);
}

STK_TEST(take_while_refuses_what_is_no_test)
{
    stk_error    err;
    stk_dataset *data = RANGE(3);
    EXPECT_REFUSED(STK_E_INVALID, "the function is no test",
                   stk_dataset_take_while(&data, stk_test_add(1), &err));
    EXPECT_STR_EQ("add", err.where);
    stk_dataset_unref(data);
}

STK_TEST(damaged_checkpoints_of_take_while_are_harmless)
{
    stk_test_watchdog(60);
    stk_test_damage(while_below(RANGE(4), &(below){.bound = 3, .bad = -1}), 2);
}

static stk_function *always;

static stk_status build(stk_dataset **out, stk_error *err)
{
    STK_TRY(stk_dataset_range(out, 0, 6, 1, err));
    return stk_dataset_take_while(out, always, err);
}

STK_TEST(take_while_survives_want_of_memory)
{
    below b = {.bound = 4, .bad = -1};
    always = stk_test_test("below", is_below, &b);
    stk_test_without_memory(build, 4);
}
