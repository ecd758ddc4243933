#include "pipeline_support.h"

static stk_dataset *windows(stk_dataset *data, int64_t size, int64_t shift, int64_t stride,
                            bool drop)
{
    const stk_window_options options = {shift, stride, drop};
    APPLY(data, window, size, &options);
    return data;
}

STK_TEST(windows_begin_at_multiples_of_the_shift) /* 36 */
{
    EXPECT_GIVES("<0 1 2> <2 3 4> <4 5 6> <6> .", windows(RANGE(7), 3, 2, 1, false));
    EXPECT_GIVES("<0 1 2> <2 3 4> <4 5 6> .", windows(RANGE(7), 3, 2, 1, true));
    EXPECT_GIVES("<0 2> <1 3> <2 4> <3 5> <4 6> .", windows(RANGE(7), 2, 1, 2, true));
    EXPECT_GIVES("<0 1 2> <3 4 5> <6> .", windows(RANGE(7), 3, 3, 1, false));
}

STK_TEST(windows_lie_side_by_side_unless_told_otherwise) /* 36 */
{
    stk_dataset *data = RANGE(5);
    APPLY(data, window, 2, NULL);
    EXPECT_INT_EQ(3, stk_dataset_cardinality(data));
    EXPECT_INT_EQ(STK_VALUE_DATASET, stk_dataset_spec(data)->values[0].kind);
    EXPECT_GIVES("<0 1> <2 3> <4> .", data);
    data = windows(RANGE(5), 2, STK_AUTO, 1, true);
    EXPECT_INT_EQ(2, stk_dataset_cardinality(data));
    EXPECT_GIVES("<0 1> <2 3> .", data);
}

STK_TEST(windows_agree_with_tensorflow) /* 36: computed with TensorFlow 2.21 */
{
    static const struct {
        int64_t            count, size;
        stk_window_options options;
        int64_t            cardinality;
        const char        *text;
    } cases[] = {
        {4, 3, {5, 3, false}, 1, "<0 3> ."},
        {7, 3, {3, 2, false}, 3, "<0 2 4> <3 5> <6> ."},
        {9, 1, {4, 3, false}, 3, "<0> <4> <8> ."},
        {5, 3, {4, 2, false}, 2, "<0 2 4> <4> ."},
        {5, 3, {3, 3, true}, 0, "."},
        {6, 3, {2, 3, false}, 3, "<0 3> <2 5> <4> ."},
        {5, 3, {5, 1, false}, 1, "<0 1 2> ."},
        {2, 2, {3, 2, true}, 0, "."},
        {1, 4, {2, 3, false}, 1, "<0> ."},
        {9, 4, {3, 3, false}, 3, "<0 3 6> <3 6> <6> ."},
        {4, 1, {2, 1, false}, 2, "<0> <2> ."},
        {9, 2, {2, 3, true}, 3, "<0 3> <2 5> <4 7> ."},
        {0, 4, {2, 1, true}, 0, "."},
        {2, 1, {3, 1, false}, 1, "<0> ."},
        {8, 1, {4, 2, true}, 2, "<0> <4> ."},
        {9, 1, {5, 1, true}, 2, "<0> <5> ."},
        {5, 1, {3, 2, false}, 2, "<0> <3> ."},
        {6, 1, {5, 2, false}, 2, "<0> <5> ."},
        {8, 3, {1, 2, false}, 8, "<0 2 4> <1 3 5> <2 4 6> <3 5 7> <4 6> <5 7> <6> <7> ."},
        {5, 3, {3, 1, false}, 2, "<0 1 2> <3 4> ."},
        {9, 3, {4, 1, true}, 2, "<0 1 2> <4 5 6> ."},
        {6, 4, {2, 1, false}, 3, "<0 1 2 3> <2 3 4 5> <4 5> ."},
        {5, 1, {4, 1, true}, 2, "<0> <4> ."},
        {9, 2, {3, 3, false}, 3, "<0 3> <3 6> <6> ."},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        stk_dataset *data = RANGE(cases[i].count);
        APPLY(data, window, cases[i].size, &cases[i].options);
        EXPECT_INT_EQ(cases[i].cardinality, stk_dataset_cardinality(data));
        EXPECT_GIVES(cases[i].text, data);
    }
}

static stk_dataset *with_errors(void)
{
    stk_dataset *data = NUMBERS(1, 9, 2, 9, 3, 4, 5);
    APPLY(data, map, stk_test_fail_on(9), NULL);
    return data;
}

STK_TEST(an_error_that_the_stride_leaves_out_does_not_surface) /* 37 */
{
    stk_dataset *data = NUMBERS(1, 9, 2, 9, 3);
    APPLY(data, map, stk_test_fail_on(9), NULL);
    EXPECT_GIVES("<1 2> <2 3> .", windows(data, 2, 2, 2, true));
    EXPECT_GIVES("<1 2> <2 3> <3 5> <5> .", windows(with_errors(), 2, 2, 2, false));
}

STK_TEST(a_window_that_holds_an_error_is_that_error) /* 37: as TensorFlow's */
{
    EXPECT_GIVES("!invalid_argument !invalid_argument !invalid_argument !invalid_argument "
                 "<3 4> <4 5> <5> .",
                 windows(with_errors(), 2, 1, 1, false));
    EXPECT_GIVES("!invalid_argument !invalid_argument <5> .",
                 windows(with_errors(), 3, 3, 1, false));
    EXPECT_GIVES("!invalid_argument !invalid_argument <5> .",
                 windows(with_errors(), 2, 3, 1, false));
}

STK_TEST(an_error_in_a_window_keeps_its_text_across_a_checkpoint)
{
    stk_error     err;
    stk_iterator *it;
    stk_element  *element;
    stk_blob      saved;
    stk_dataset  *data = windows(with_errors(), 2, 1, 1, false);
    stk_blob_init(&saved, NULL, STK_MEMORY_INDEX);
    EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_iterator_next(it, &element, &err));
    EXPECT_OK(stk_iterator_save(it, &saved, &err));
    EXPECT_OK(stk_iterator_restore(it, stk_blob_bytes(&saved), &err));
    EXPECT_STATUS(STK_E_INVALID, stk_iterator_next(it, &element, &err));
    EXPECT_CONTAINS("the number is 9", err.message);
    stk_iterator_free(it);
    stk_blob_release(&saved);
    stk_dataset_unref(data);
}

static stk_status inside(void *context, const stk_call *call, const stk_element *element,
                         stk_dataset **out, stk_error *err)
{
    (void)context;
    (void)call;
    *out = stk_dataset_ref(stk_element_value(element, 0)->small.dataset);
    return stk_dataset_batch(out, 10, NULL, err);
}

STK_TEST(windows_can_be_batched_by_flat_map)
{
    stk_dataset *data = windows(RANGE(7), 3, 2, 1, false);
    APPLY(data, flat_map, stk_test_expand("inside", inside, NULL));
    EXPECT_GIVES("[0 1 2] [2 3 4] [4 5 6] [6] .", data);
}

STK_TEST(windows_of_windows_go_into_checkpoints)
{
    EXPECT_GIVES("<<0 1> <2 3>> <<2 3> <4 5>> <<4 5> <6>> <<6>> .",
                 windows(windows(RANGE(7), 2, 2, 1, false), 2, 1, 1, false));
}

STK_TEST(windows_without_end)
{
    stk_dataset *data = RANGE(3);
    APPLY(data, repeat, -1);
    data = windows(data, 2, 3, 1, true);
    EXPECT_INT_EQ(STK_CARDINALITY_INFINITE, stk_dataset_cardinality(data));
    EXPECT_BEGINS(3, "<0 1> <0 1> <0 1> ...", data);
}

STK_TEST(a_window_larger_than_all_numbers_is_legal)
{
    EXPECT_GIVES("<0 1 2> .", windows(RANGE(3), INT64_MAX, INT64_MAX, 1, false));
    EXPECT_GIVES(".", windows(RANGE(3), INT64_MAX, 1, INT64_MAX, true));
    EXPECT_GIVES("<0> <1> <2> .", windows(RANGE(3), INT64_MAX, 1, INT64_MAX, false));
}

static void expect_refusal(int64_t size, int64_t shift, int64_t stride, const char *message)
{
    stk_error                err;
    stk_dataset             *data = RANGE(5);
    const stk_window_options options = {shift, stride, false};
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_window(&data, size, &options, &err));
    EXPECT_CONTAINS(message, err.message);
    stk_dataset_unref(data);
}

STK_TEST(window_refuses_senseless_parameters) /* 36 */
{
    expect_refusal(0, 1, 1, "the size is 0");
    expect_refusal(0, STK_AUTO, 1, "the size is 0");
    expect_refusal(-3, 1, 1, "the size is -3");
    expect_refusal(0, 0, 0, "the size is 0");
    expect_refusal(2, -2, 1, "the shift is -2");
    expect_refusal(2, 1, -1, "the stride is -1");
}

STK_TEST(other_windows_have_other_fingerprints)
{
    stk_dataset *all[] = {windows(RANGE(7), 3, 2, 1, false), windows(RANGE(7), 3, 2, 1, true),
                          windows(RANGE(7), 3, 1, 1, false), windows(RANGE(7), 3, 2, 2, false),
                          windows(RANGE(7), 2, 2, 1, false)};
    for (size_t i = 0; i < COUNT_OF(all); i++)
        for (size_t k = 0; k < i; k++)
            EXPECT(stk_dataset_fingerprint(all[i]) != stk_dataset_fingerprint(all[k]));
    for (size_t i = 0; i < COUNT_OF(all); i++)
        stk_dataset_unref(all[i]);
}

STK_TEST(what_a_window_holds_is_in_the_ledger)
{
    stk_error                  err;
    stk_iterator              *it;
    stk_element               *element;
    stk_dataset               *data = windows(RANGE(100000), 100000, 1, 1, true);
    const stk_iterator_options options = {.threads = 1, .memory_bytes = 1 << 20};
    EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
    EXPECT_STATUS(STK_E_CEILING, stk_iterator_next(it, &element, &err));
    EXPECT_STR_EQ("window", err.component);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

static stk_status build(stk_dataset **out, stk_error *err)
{
    STK_TRY(stk_dataset_range(out, 0, 6, 1, err));
    return stk_dataset_window(out, 5, &(stk_window_options){1, 2, false}, err);
}

STK_TEST(window_survives_every_failing_allocation)
{
    stk_test_without_memory(build, 6);
}

STK_TEST(damaged_checkpoints_of_window_are_harmless)
{
    stk_test_watchdog(60);
    stk_test_damage(windows(with_errors(), 3, 1, 1, false), 3);
    stk_dataset *data = RANGE(5);
    APPLY(data, repeat, -1);
    stk_test_damage(windows(data, 2, 7, 1, false), 3);
}
