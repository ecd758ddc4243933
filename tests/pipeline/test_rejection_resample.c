#include "pipeline_support.h"

#include <stdio.h>
#include <string.h>

STK_TEST(rates_of_all_or_nothing_keep_all_or_nothing_of_a_class) /* 50 */
{
    const double               target[] = {0.5, 0, 0.5}, initial[] = {0.4, 0.2, 0.4};
    const stk_resample_options options = {.target = target, .initial = initial, .class_count = 3};
    stk_dataset               *data = RANGE(9);
    APPLY(data, rejection_resample, stk_test_modulo(3), &options);
    EXPECT_INT_EQ(STK_CARDINALITY_UNKNOWN, stk_dataset_cardinality(data));
    EXPECT_GIVES("0 2 3 5 6 8 .", data);
}

STK_TEST(the_distribution_that_is_wanted_already_drops_nothing) /* 50 */
{
    const double               shares[] = {0.5, 0.5};
    const stk_resample_options options = {.target = shares, .initial = shares, .class_count = 2};
    stk_dataset               *data = RANGE(10);
    APPLY(data, rejection_resample, stk_test_modulo(2), &options);
    EXPECT_GIVES("0 1 2 3 4 5 6 7 8 9 .", data);
}

/* 0 for every tenth number, else 1. */
static stk_status rare(void *context, const stk_call *call, const stk_element *element,
                       int64_t *key, stk_error *err)
{
    (void)context;
    (void)call;
    (void)err;
    *key = stk_test_number(element) % 10 != 0;
    return STK_OK;
}

static void expect_half(const double *initial)
{
    const double               target[] = {0.5, 0.5};
    const stk_resample_options options = {
        .target = target, .initial = initial, .class_count = 2, .seeded = true, .seed = 1};
    stk_error     err;
    stk_iterator *it;
    int64_t       last = -1, of_class[2] = {0};
    stk_dataset  *data = RANGE(100000);
    APPLY(data, rejection_resample, stk_test_key("rare", rare, NULL), &options);
    EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
    for (;;) {
        stk_element *element;
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        if (!element) break;
        const int64_t number = stk_test_number(element);
        EXPECT(number > last); /* in order, none twice */
        last = number;
        of_class[number % 10 != 0]++;
        stk_element_unref(element);
    }
    /* The rare class is kept whole, save before the estimate has settled. */
    EXPECT(of_class[0] >= (initial ? 10000 : 9980));
    /* 90000 draws at a rate of 1/9: six standard deviations are 566. */
    EXPECT(of_class[1] > 10000 - 600 && of_class[1] < 10000 + 600);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

STK_TEST(classes_come_as_the_target_says) /* 50 */
{
    const double initial[] = {0.1, 0.9};
    expect_half(initial);
}

STK_TEST(an_unknown_distribution_is_estimated_while_running) /* 50 */
{
    expect_half(NULL);
}

static stk_dataset *estimated(void)
{
    const double               target[] = {0.5, 0.5};
    const stk_resample_options options = {
        .target = target, .class_count = 2, .seeded = true, .seed = 1};
    stk_dataset *data = RANGE(60);
    APPLY(data, rejection_resample, stk_test_key("rare", rare, NULL), &options);
    return data;
}

/* A fresh object each time: its second iterator would draw anew. */
STK_TEST(what_is_kept_is_the_same_on_any_number_of_threads)
{
    char expected[512];
    for (int threads = 1; threads <= 8; threads *= 2) {
        stk_dataset *data = estimated();
        const char  *text = stk_test_run(data, &(stk_iterator_options){.threads = threads}, 0);
        if (threads == 1) snprintf(expected, sizeof expected, "%s", text);
        EXPECT_STR_EQ(expected, text);
        stk_dataset_unref(data);
    }
}

static size_t read_numbers(stk_iterator *it, int64_t *numbers, size_t most)
{
    stk_error err;
    size_t    count = 0;
    while (count < most) {
        stk_element *element;
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        if (!element) break;
        numbers[count++] = stk_test_number(element);
        stk_element_unref(element);
    }
    return count;
}

STK_TEST(resampling_goes_on_exactly_after_a_checkpoint) /* 72 */
{
    int64_t       expected[60], numbers[60];
    stk_error     err;
    stk_iterator *it;
    stk_dataset  *data = estimated();
    EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
    const size_t count = read_numbers(it, expected, 60);
    stk_iterator_free(it);
    stk_dataset_unref(data);
    for (size_t taken = 0; taken <= count; taken++) {
        stk_blob saved;
        stk_blob_init(&saved, NULL, STK_MEMORY_INDEX);
        data = estimated();
        EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
        read_numbers(it, numbers, taken);
        EXPECT_OK(stk_iterator_save(it, &saved, &err));
        stk_iterator_free(it);
        EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
        EXPECT_OK(stk_iterator_restore(it, stk_blob_bytes(&saved), &err));
        EXPECT_INT_EQ(count - taken, read_numbers(it, numbers + taken, 60 - taken));
        EXPECT_MEM_EQ(expected, numbers, count * sizeof *numbers);
        stk_iterator_free(it);
        stk_blob_release(&saved);
        stk_dataset_unref(data);
    }
}

STK_TEST(a_class_out_of_range_is_an_error_in_its_place)
{
    const double               target[] = {0.5, 0.5};
    const stk_resample_options options = {.target = target, .initial = target, .class_count = 2};
    stk_dataset               *data = RANGE(5);
    APPLY(data, rejection_resample, stk_test_modulo(3), &options);
    EXPECT_GIVES("0 1 !invalid_argument 3 4 .", data);
}

static void expect_refusal(const double *target, const double *initial, const char *message)
{
    stk_error                  err;
    stk_dataset               *data = RANGE(5);
    const stk_resample_options options = {.target = target, .initial = initial, .class_count = 2};
    EXPECT_STATUS(STK_E_INVALID,
                  stk_dataset_rejection_resample(&data, stk_test_modulo(2), &options, &err));
    EXPECT_CONTAINS(message, err.message);
    stk_dataset_unref(data);
}

STK_TEST(rejection_resample_refuses_senseless_distributions)
{
    const double half[] = {0.5, 0.5}, none[] = {0, 0}, negative[] = {-1, 2}, first[] = {1, 0};
    expect_refusal(NULL, NULL, "no target shares");
    expect_refusal(none, NULL, "add up to 0");
    expect_refusal(negative, NULL, "the target share of class 0 is -1");
    expect_refusal(half, negative, "the initial share of class 0 is -1");
    expect_refusal(half, first, "class 1 shall have a share of 0.5, but its initial share is 0");
    stk_error                  err;
    stk_dataset               *data = RANGE(5);
    const stk_resample_options options = {.target = half, .class_count = 2};
    EXPECT_STATUS(STK_E_INVALID,
                  stk_dataset_rejection_resample(&data, stk_test_add(1), &options, &err));
    EXPECT_CONTAINS("no key function", err.message);
    stk_dataset_unref(data);
}

STK_TEST(damaged_checkpoints_of_rejection_resample_are_harmless)
{
    stk_test_watchdog(60);
    stk_test_damage(estimated(), 4);
}

static stk_function *class_of;

static stk_status build(stk_dataset **out, stk_error *err)
{
    const double               target[] = {0.5, 0.5};
    const stk_resample_options options = {.target = target, .initial = target, .class_count = 2};
    STK_TRY(stk_dataset_range(out, 0, 8, 1, err));
    return stk_dataset_rejection_resample(out, class_of, &options, err);
}

STK_TEST(rejection_resample_survives_every_failing_allocation)
{
    class_of = stk_test_modulo(2);
    stk_test_without_memory(build, 8);
}
