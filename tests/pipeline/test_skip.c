#include "pipeline_support.h"

static stk_dataset *skipped(stk_dataset *data, int64_t count)
{
    APPLY(data, skip, count);
    return data;
}

STK_TEST(skip_leaves_out_the_first_elements) /* 38 */
{
    stk_test_watchdog(60);
    EXPECT_GIVES("2 3 4 .", skipped(RANGE(5), 2));
    EXPECT_GIVES(".", skipped(RANGE(5), -1));
    EXPECT_GIVES("0 1 2 3 4 .", skipped(RANGE(5), 0));
    EXPECT_GIVES(".", skipped(RANGE(5), 8));
    EXPECT_GIVES(".", skipped(RANGE(5), 5));
    EXPECT_GIVES("4 .", skipped(RANGE(5), 4));
}

STK_TEST(skip_gives_the_errors_it_meets_and_begins_anew) /* 4 */
{
    stk_dataset *data = RANGE(10);
    APPLY(data, map, stk_test_fail_on(2), NULL);
    EXPECT_GIVES("!invalid_argument 6 7 8 9 .", skipped(data, 3));
    data = RANGE(10);
    APPLY(data, map, stk_test_fail_on(0), NULL);
    EXPECT_GIVES("!invalid_argument 4 5 6 7 8 9 .", skipped(data, 3));
    data = RANGE(6);
    APPLY(data, map, stk_test_fail_on(4), NULL);
    EXPECT_GIVES("3 !invalid_argument 5 .", skipped(data, 3));
}

STK_TEST(skip_is_done_in_every_pass)
{
    stk_dataset *data = skipped(RANGE(4), 2);
    APPLY(data, repeat, 2);
    EXPECT_GIVES("2 3 2 3 .", data);
}

STK_TEST(cardinality_of_skip)
{
    static const struct {
        int64_t skip, left;
    } cases[] = {{0, 5}, {2, 3}, {5, 0}, {8, 0}, {-1, 0}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        stk_dataset *data = skipped(RANGE(5), cases[i].skip);
        EXPECT_INT_EQ(cases[i].left, stk_dataset_cardinality(data));
        stk_dataset_unref(data);
    }
    stk_dataset *data = RANGE(5);
    APPLY(data, repeat, -1);
    data = skipped(data, 3);
    EXPECT_INT_EQ(STK_CARDINALITY_INFINITE, stk_dataset_cardinality(data));
    EXPECT_BEGINS(4, "3 4 0 1 ...", data);
}

STK_TEST(skip_by_number) /* 74 */
{
    stk_error    err;
    stk_element *element;
    stk_dataset *data = skipped(RANGE(5), 3);
    EXPECT_OK(stk_dataset_at(data, 1, &element, &err));
    EXPECT_INT_EQ(4, stk_test_number(element));
    stk_element_unref(element);
    EXPECT_STATUS(STK_E_RANGE, stk_dataset_at(data, 2, &element, &err));
    EXPECT_REFUSED(STK_E_RANGE, "leaves none there",
                   stk_dataset_at(data, UINT64_MAX, &element, &err));
    stk_dataset_unref(data);
    data = skipped(RANGE(5), -1);
    EXPECT_STATUS(STK_E_RANGE, stk_dataset_at(data, 0, &element, &err));
    stk_dataset_unref(data);
}

static stk_status request_at_100(void *cancel, const stk_call *call, stk_element **element,
                                 stk_error *err)
{
    (void)call;
    (void)err;
    if (stk_test_number(*element) == 100) stk_cancel_request(cancel);
    return STK_OK;
}

STK_TEST(skip_without_end_can_be_cancelled)
{
    stk_test_watchdog(60);
    stk_error     err;
    stk_iterator *it;
    stk_element  *element;
    stk_cancel    cancel = STK_CANCEL_INIT;
    stk_dataset  *data = stk_test_range(0, INT64_MAX, 1);
    APPLY(data, map, stk_test_map("request", request_at_100, &cancel, 0), NULL);
    data = skipped(data, INT64_MAX);
    const stk_iterator_options options = {.threads = 1, .cancel = &cancel};
    EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
    EXPECT_STATUS(STK_E_CANCELLED, stk_iterator_next(it, &element, &err));
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

STK_TEST(damaged_checkpoints_of_skip_are_harmless)
{
    stk_test_watchdog(60);
    stk_test_damage(skipped(RANGE(5), 2), 1);
}

static stk_status build(stk_dataset **out, stk_error *err)
{
    STK_TRY(stk_dataset_range(out, 0, 10, 1, err));
    return stk_dataset_skip(out, 5, err);
}

STK_TEST(skip_survives_want_of_memory)
{
    stk_test_without_memory(build, 5);
}
