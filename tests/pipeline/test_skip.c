#include "pipeline_support.h"

#include <stdio.h>
#include <string.h>

static stk_dataset *skipped(stk_dataset *data, int64_t count)
{
    APPLY(data, skip, count);
    return data;
}

static stk_status first_of(void *context, const stk_call *call, stk_element **element,
                           stk_error *err)
{
    stk_value row = stk_value_row(stk_element_value(*element, 0), 0);
    (void)context;
    (void)call;
    STK_TRY(stk_element_make_unique(element, err));
    stk_value_release(stk_element_edit(*element, 0));
    *stk_element_edit(*element, 0) = row;
    return STK_OK;
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

/* Each would take years one by one. */
STK_TEST(what_can_jump_is_skipped_at_once)
{
    const int64_t far = INT64_MAX - 7;
    stk_test_watchdog(60);
    EXPECT_GIVES("9223372036854775800 9223372036854775801 9223372036854775802 "
                 "9223372036854775803 9223372036854775804 9223372036854775805 "
                 "9223372036854775806 .",
                 skipped(stk_test_range(0, INT64_MAX, 1), far));
    stk_dataset *data = skipped(skipped(stk_test_range(0, INT64_MAX, 1), far - 10), 10);
    APPLY(data, take, 1);
    EXPECT_GIVES("9223372036854775800 .", data);
    data = stk_test_range(0, INT64_MAX, 1);
    APPLY(data, take, INT64_MAX - 1);
    EXPECT_GIVES("9223372036854775805 .", skipped(data, INT64_MAX - 2));
    data = stk_test_range(0, INT64_MAX, 1);
    APPLY(data, shard, 3, 2);
    EXPECT_GIVES("9223372036854775802 9223372036854775805 .", skipped(data, INT64_MAX / 3 - 2));
    data = stk_test_range(0, INT64_MAX, 1);
    APPLY(data, batch, 1000, NULL);
    APPLY(data, take, INT64_MAX / 1000);
    data = skipped(data, INT64_MAX / 1000 - 1);
    APPLY(data, map, stk_test_map("first", first_of, NULL, 0), NULL);
    EXPECT_GIVES("9223372036854774000 .", data);
    data = RANGE(3);
    APPLY(data, repeat, -1);
    EXPECT_BEGINS(4, "2 0 1 2 ...", skipped(data, far + 2));
    data = RANGE(1000);
    APPLY(data, repeat, INT64_MAX / 1000);
    EXPECT_GIVES("998 999 .", skipped(data, INT64_MAX / 1000 * 1000 - 2));
    data = RANGE(5);
    stk_dataset *after = stk_test_range(0, far, 1);
    stk_test_concatenate(&data, after);
    stk_dataset_unref(after);
    EXPECT_GIVES("9223372036854775799 .", skipped(data, far + 4));
    data = stk_test_range(0, INT64_MAX, 1);
    APPLY(data, enumerate, -1);
    APPLY(data, prefetch, 3);
    EXPECT_BEGINS(1, "(9223372036854775799 9223372036854775800) ...", skipped(data, far));
    data = stk_test_range(0, INT64_MAX, 1);
    APPLY(data, batch, 4, &(stk_batch_options){.drop_remainder = true});
    stk_error err;
    EXPECT_OK(stk_dataset_unbatch(&data, &err));
    EXPECT_GIVES("9223372036854775803 .", skipped(data, INT64_MAX - 4));
}

STK_TEST(inputs_side_by_side_are_skipped_together)
{
    stk_error    err;
    stk_dataset *inputs[] = {stk_test_range(0, INT64_MAX, 1), stk_test_range(0, INT64_MAX, 2)};
    stk_dataset *data;
    EXPECT_OK(stk_dataset_zip(&data, inputs, 2, &err));
    stk_dataset_unref(inputs[0]);
    stk_dataset_unref(inputs[1]);
    EXPECT_GIVES("(4611686018427387903 9223372036854775806) .", skipped(data, INT64_MAX / 2));
}

static stk_status read_number(void *context, const stk_call *call, uint64_t index,
                              stk_element **out, stk_error *err)
{
    (void)call;
    __atomic_fetch_add((int *)context, 1, __ATOMIC_RELAXED);
    STK_TRY(stk_element_new(out, 1, err));
    stk_value_i64(stk_element_edit(*out, 0), (int64_t)index);
    return STK_OK;
}

/* Also behind the queue that waiting sources get. */
STK_TEST(a_source_by_number_is_not_asked_for_what_is_skipped)
{
    stk_test_watchdog(60);
    for (int i = 0; i < 2; i++) {
        int                    reads = 0;
        stk_error              err;
        stk_dataset           *data;
        const stk_indexed_info info = {.name = "numbers",
                                       .context = &reads,
                                       .count = UINT64_C(1) << 60,
                                       .blocking = i == 1,
                                       .read = read_number};
        EXPECT_OK(stk_dataset_indexed(&data, &info, &err));
        APPLY(data, skip, (INT64_C(1) << 60) - 3);
        const stk_iterator_options options = {.threads = 2};
        EXPECT_STR_EQ("1152921504606846973 1152921504606846974 1152921504606846975 .",
                      stk_test_run(data, &options, 0));
        EXPECT_INT_EQ(3, reads);
        stk_dataset_unref(data);
    }
}

/* However a pipeline is skipped, what is left is what would have come. */
STK_TEST(skipping_gives_the_same_as_taking_all)
{
    stk_test_watchdog(120);
    static const char *const all[] = {"2", "0", "1", "2", "0", "1", "2", "."};
    for (int64_t n = 0; n <= 8; n++) {
        char         text[32] = "";
        stk_dataset *data = RANGE(3);
        APPLY(data, repeat, 3);
        APPLY(data, skip, 2);
        for (int64_t i = n; i < 8; i++)
            snprintf(text + strlen(text), sizeof text - strlen(text), i > n ? " %s" : "%s", all[i]);
        EXPECT_GIVES(n < 8 ? text : ".", skipped(data, n));
    }
    for (int64_t n = 0; n <= 6; n++) {
        stk_dataset *data = RANGE(11);
        APPLY(data, shard_others, 3, 1);
        APPLY(data, batch, 2, NULL);
        stk_error err;
        EXPECT_OK(stk_dataset_unbatch(&data, &err));
        static const char *const others[] = {"2 3 5 6 8 9 .", "3 5 6 8 9 .", "5 6 8 9 .", "6 8 9 .",
                                             "8 9 .",         "9 .",         "."};
        EXPECT_GIVES(others[n], skipped(data, n + 1));
    }
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
