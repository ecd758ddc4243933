#include "pipeline_support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Takes over the references. */
static stk_dataset *sample(stk_dataset **inputs, size_t count, const stk_sample_options *options)
{
    stk_error    err;
    stk_dataset *data;
    EXPECT_OK(stk_dataset_sample_from(&data, inputs, count, options, &err));
    for (size_t i = 0; i < count; i++)
        stk_dataset_unref(inputs[i]);
    return data;
}

static stk_dataset *two(int64_t a, int64_t b, const stk_sample_options *options)
{
    stk_dataset *inputs[] = {stk_test_range(0, a, 1), stk_test_range(100, 100 + b, 1)};
    return sample(inputs, 2, options);
}

STK_TEST(a_dataset_of_weight_nothing_is_never_drawn) /* 49 */
{
    const double       weights[] = {0, 1};
    stk_sample_options options = {.weights = weights, .weight_count = 2, .stop_on_empty = true};
    stk_dataset       *inputs[] = {NUMBERS(0), NUMBERS(1)};
    APPLY(inputs[0], repeat, 2);
    APPLY(inputs[1], repeat, 2);
    stk_dataset *data = sample(inputs, 2, &options);
    EXPECT_INT_EQ(2, stk_dataset_cardinality(data));
    EXPECT_GIVES("1 1 .", data);
    options.stop_on_empty = false;
    EXPECT_GIVES("100 101 .", two(3, 2, &options));
}

STK_TEST(without_any_weight_there_is_nothing) /* 49 */
{
    const double       weights[] = {0, 0};
    stk_sample_options options = {.weights = weights, .weight_count = 2};
    stk_dataset       *data = two(3, 3, &options);
    EXPECT_INT_EQ(0, stk_dataset_cardinality(data));
    EXPECT_GIVES(".", data);
    options.stop_on_empty = true;
    EXPECT_GIVES(".", two(3, 3, &options));
}

STK_TEST(drawing_an_empty_dataset_ends_it_where_that_is_wanted) /* 49 */
{
    const double       weights[] = {1, 0};
    stk_sample_options options = {.weights = weights, .weight_count = 2, .stop_on_empty = true};
    EXPECT_GIVES(".", two(0, 3, &options));
}

/* The first results of a fresh dataset object. */
static void numbers_of(const stk_sample_options *options, int64_t a, int64_t b, uint64_t seed,
                       int threads, int64_t *numbers, size_t count)
{
    stk_error                  err;
    stk_iterator              *it;
    stk_dataset               *data = two(a, b, options);
    const stk_iterator_options run = {.threads = threads, .seed = seed};
    EXPECT_OK(stk_iterator_start(&it, data, &run, &err));
    for (size_t i = 0; i < count; i++) {
        stk_element *element;
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        numbers[i] = element ? stk_test_number(element) : -1;
        stk_element_unref(element);
    }
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

STK_TEST(datasets_are_drawn_by_weight) /* 49 */
{
    static int64_t           numbers[20000];
    const double             weights[] = {3, 1};
    const stk_sample_options options = {
        .weights = weights, .weight_count = 2, .seeded = true, .seed = 5};
    int64_t       first = 0, a = 0, b = 1000000;
    stk_error     err;
    stk_iterator *it;
    stk_dataset  *inputs[] = {stk_test_range(0, 1000000, 1), stk_test_range(1000000, 2000000, 1)};
    stk_dataset  *data = sample(inputs, 2, &options);
    EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        stk_element *element;
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        const int64_t number = stk_test_number(element);
        /* Each input in its own order, nothing lost. */
        EXPECT_INT_EQ(number < 1000000 ? a++ : b++, number);
        first += number < 1000000;
        stk_element_unref(element);
    }
    /* 15000 expected; six standard deviations of a binomial are 367. */
    EXPECT(first > 15000 - 367 && first < 15000 + 367);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

STK_TEST(a_used_up_dataset_leaves_its_share_to_the_others) /* 49 */
{
    int64_t                  numbers[13], seen = 0;
    const stk_sample_options options = {.seeded = true, .seed = 3};
    numbers_of(&options, 2, 10, 1, 2, numbers, 13);
    for (size_t i = 0; i < 12; i++)
        seen += numbers[i] >= 0;
    EXPECT_INT_EQ(12, seen);
    EXPECT_INT_EQ(-1, numbers[12]);
}

STK_TEST(draws_depend_on_the_seed_and_on_nothing_else)
{
    int64_t                  a[50], b[50];
    const stk_sample_options seeded = {.seeded = true, .seed = 3},
                             other = {.seeded = true, .seed = 4};
    numbers_of(&seeded, 100, 100, 1, 1, a, 50);
    numbers_of(&seeded, 100, 100, 99, 8, b, 50);
    EXPECT_MEM_EQ(a, b, sizeof a);
    numbers_of(&other, 100, 100, 1, 1, b, 50);
    EXPECT(memcmp(a, b, sizeof a) != 0);
    /* Without a seed of its own: the pipeline's. */
    numbers_of(NULL, 100, 100, 1, 1, a, 50);
    numbers_of(NULL, 100, 100, 1, 3, b, 50);
    EXPECT_MEM_EQ(a, b, sizeof a);
    numbers_of(NULL, 100, 100, 2, 1, b, 50);
    EXPECT(memcmp(a, b, sizeof a) != 0);
}

STK_TEST(the_same_draws_in_each_epoch_and_across_checkpoints) /* 49, 72 */
{
    const stk_sample_options options = {.seeded = true, .seed = 11, .same_each_epoch = true};
    stk_dataset             *once = two(6, 5, &options);
    const char              *text = stk_test_run(once, NULL, 0);
    char                     expected[512], copy[256];
    snprintf(copy, sizeof copy, "%s", text);
    copy[strlen(copy) - 2] = 0;
    snprintf(expected, sizeof expected, "%s %s .", copy, copy);
    APPLY(once, repeat, 2);
    EXPECT_GIVES(expected, once);
}

STK_TEST(other_draws_in_each_epoch)
{
    const stk_sample_options options = {.seeded = true, .seed = 11};
    stk_dataset             *data = two(20, 20, &options);
    APPLY(data, repeat, 2);
    APPLY(data, batch, 40, NULL);
    const char *text = stk_test_run(data, &(stk_iterator_options){.seed = 1}, 0);
    const char *second = strstr(text, "] [");
    EXPECT(second && strncmp(text, second + 2, (size_t)(second - text)) != 0);
    stk_dataset_unref(data);
}

STK_TEST(sample_from_knows_when_it_has_no_end)
{
    stk_sample_options options = {0};
    for (int i = 0; i < 4; i++) {
        stk_dataset *inputs[] = {RANGE(2), RANGE(3)};
        APPLY(inputs[0], repeat, -1);
        if (i & 1) APPLY(inputs[1], repeat, -1);
        options.stop_on_empty = i & 2;
        stk_dataset *data = sample(inputs, 2, &options);
        EXPECT_INT_EQ(i == 2 ? STK_CARDINALITY_UNKNOWN : STK_CARDINALITY_INFINITE,
                      stk_dataset_cardinality(data));
        stk_dataset_unref(data);
    }
}

STK_TEST(sample_from_refuses_senseless_weights)
{
    stk_error          err;
    stk_dataset       *data, *inputs[] = {RANGE(2), RANGE(3)};
    double             weights[] = {1, -1};
    stk_sample_options options = {.weights = weights, .weight_count = 2};
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_sample_from(&data, inputs, 2, &options, &err));
    EXPECT_CONTAINS("the weight of dataset 1 is -1", err.message);
    weights[1] = NAN;
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_sample_from(&data, inputs, 2, &options, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_sample_from(&data, NULL, 0, NULL, &err));
    EXPECT_CONTAINS("no dataset to take from", err.message);
    options.weight_count = 3;
    EXPECT_REFUSED(STK_E_INVALID, "there are 2 inputs and 3 weights",
                   stk_dataset_sample_from(&data, inputs, 2, &options, &err));
    stk_dataset_unref(inputs[0]);
    stk_dataset_unref(inputs[1]);
}

STK_TEST(errors_of_inputs_pass_through_sample_from)
{
    const double             weights[] = {1, 0};
    const stk_sample_options options = {.weights = weights, .weight_count = 2};
    stk_dataset             *inputs[] = {RANGE(4), RANGE(3)};
    APPLY(inputs[0], map, stk_test_fail_on(1), NULL);
    EXPECT_GIVES("0 !invalid_argument 2 3 .", sample(inputs, 2, &options));
}

STK_TEST(damaged_checkpoints_of_sample_from_are_harmless)
{
    stk_test_watchdog(60);
    stk_test_damage(two(5, 5, NULL), 4);
}

static stk_status build(stk_dataset **out, stk_error *err)
{
    static const stk_sample_options options = {.seeded = true, .same_each_epoch = true};
    stk_dataset                    *inputs[2] = {0};
    stk_status                      st = stk_dataset_range(&inputs[0], 0, 3, 1, err);
    if (!st) st = stk_dataset_range(&inputs[1], 10, 13, 1, err);
    if (!st) st = stk_dataset_sample_from(out, inputs, 2, &options, err);
    stk_dataset_unref(inputs[0]);
    stk_dataset_unref(inputs[1]);
    return st;
}

STK_TEST(sample_from_survives_every_failing_allocation)
{
    stk_test_without_memory(build, 6);
}
