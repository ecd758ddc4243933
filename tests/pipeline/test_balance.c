/* balance: every class equally often, on any number of threads and from any place on. */
#include "pipeline_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const stk_shuffle_options same_1 = {.seed = 1, .seeded = true, .same_each_epoch = true};
static const stk_shuffle_options seed_5 = {.seed = 5, .seeded = true};

enum { COUNT = 20, CLASSES = 4, EACH = 7 };

/* 14 of class 0, 4 of class 1, none of class 2, 2 of class 3: 20 over three classes are 7 each. */
static void label_all(int64_t labels[COUNT])
{
    for (int i = 0; i < COUNT; i++)
        labels[i] = i < 14 ? 0 : i < 18 ? 1 : 3;
}

static stk_dataset *balanced(const stk_shuffle_options *options)
{
    int64_t      labels[COUNT];
    stk_dataset *data = RANGE(COUNT);
    label_all(labels);
    APPLY(data, balance, labels, COUNT, CLASSES, options);
    return data;
}

static char *run(stk_dataset *data, uint64_t seed)
{
    return strdup(stk_test_run(data, &(stk_iterator_options){.threads = 1, .seed = seed}, 0));
}

/* How often each element comes in the next count numbers of text, which is moved on. */
static void count_elements(const char **text, int count, int seen[COUNT])
{
    memset(seen, 0, COUNT * sizeof *seen);
    for (int i = 0; i < count; i++) {
        char      *end;
        const long number = strtol(*text, &end, 10);
        EXPECT(end != *text && number >= 0 && number < COUNT);
        seen[number]++;
        *text = end;
    }
}

static int sum(const int *seen, int from, int to)
{
    int all = 0;
    for (int i = from; i < to; i++)
        all += seen[i];
    return all;
}

STK_TEST(every_class_comes_equally_often_and_the_same_everywhere)
{
    stk_dataset *data = balanced(&same_1);
    int          seen[COUNT];
    EXPECT_INT_EQ(3 * EACH, stk_dataset_cardinality(data));
    char       *text = run(data, 7);
    const char *at = text;
    count_elements(&at, 3 * EACH, seen);
    EXPECT_STR_EQ(" .", at);
    EXPECT_INT_EQ(EACH, sum(seen, 0, 14));
    EXPECT_INT_EQ(EACH, sum(seen, 14, 18));
    EXPECT_INT_EQ(EACH, sum(seen, 18, 20));
    for (int i = 0; i < COUNT; i++) /* 7 of 14, of 4 and of 2 */
        EXPECT(i < 14 ? seen[i] <= 1 : i < 18 ? seen[i] == 1 || seen[i] == 2 : seen[i] >= 3);
    EXPECT_GIVES(text, data);
    free(text);
}

/* Over epochs every element of a class comes equally often. */
STK_TEST(a_large_class_goes_on_where_the_last_epoch_left_off)
{
    stk_dataset *data = balanced(&seed_5);
    int          seen[COUNT], all[COUNT] = {0};
    APPLY(data, repeat, 4);
    char       *text = run(data, 7);
    const char *at = text;
    for (int epoch = 0; epoch < 4; epoch++) {
        count_elements(&at, 3 * EACH, seen);
        EXPECT_INT_EQ(EACH, sum(seen, 14, 18));
        for (int i = 0; i < COUNT; i++)
            all[i] += seen[i];
        if (epoch == 1) /* two epochs are one round of the 14 */
            for (int i = 0; i < 14; i++)
                EXPECT_INT_EQ(1, all[i]);
    }
    for (int i = 0; i < COUNT; i++)
        EXPECT_INT_EQ(i < 14 ? 2 : i < 18 ? EACH : 14, all[i]);
    free(text);
    stk_dataset_unref(data);
}

STK_TEST(epochs_without_end_have_the_same_places_on_any_number_of_threads)
{
    stk_dataset *data = balanced(&same_1);
    APPLY(data, repeat, -1);
    char *text = strdup(stk_test_run(data, &(stk_iterator_options){.threads = 1, .seed = 7}, 50));
    EXPECT_BEGINS(50, text, data);
    free(text);
}

STK_TEST(seeds_and_epochs_change_the_order)
{
    stk_dataset *data = balanced(NULL), *again = balanced(NULL);
    APPLY(data, repeat, 2);
    APPLY(again, repeat, 2);
    char *first = run(data, 7), *second = run(again, 7), *other = run(again, 8);
    EXPECT_STR_EQ(first, second);
    assert_string_not_equal(first, other);
    const size_t half = strlen(first) / 2;
    EXPECT(strncmp(first, first + half - 1, half - 1) != 0);
    free(first);
    free(second);
    free(other);
    stk_dataset_unref(data);
    stk_dataset_unref(again);
}

STK_TEST(labels_that_do_not_go_with_the_data_are_refused)
{
    stk_dataset  *data = RANGE(3), *many = RANGE(3);
    stk_error     err;
    const int64_t labels[] = {0, 1, 2, 0};
    EXPECT_REFUSED(STK_E_INVALID, "there are 4 labels for 3 elements",
                   stk_dataset_balance(&data, labels, 4, 3, NULL, &err));
    EXPECT_REFUSED(STK_E_RANGE, "the label of element 2 is 2, but there are 2 classes",
                   stk_dataset_balance(&data, labels, 3, 2, NULL, &err));
    APPLY(many, repeat, 2);
    EXPECT_REFUSED(STK_E_UNSUPPORTED, "put balance before it",
                   stk_dataset_balance(&many, labels, 3, 3, NULL, &err));
    stk_dataset_unref(data);
    stk_dataset_unref(many);
}

STK_TEST(a_shard_of_a_balanced_stream_is_its_every_second_element)
{
    stk_dataset *whole = balanced(&same_1), *half = balanced(&same_1);
    APPLY(half, shard, 2, 0);
    char       *all = run(whole, 7), *some = run(half, 7);
    const char *a = all, *b = some;
    for (int i = 0; i < 3 * EACH; i++) {
        char      *end;
        const long number = strtol(a, &end, 10);
        a = end;
        if (i % 2) continue;
        EXPECT_INT_EQ(number, strtol(b, &end, 10));
        b = end;
    }
    free(all);
    free(some);
    stk_dataset_unref(whole);
    stk_dataset_unref(half);
}

static stk_status run_all(void *context, stk_error *err)
{
    (void)context;
    const int64_t labels[] = {0, 0, 1, 0, 0};
    stk_dataset  *data;
    stk_iterator *it = NULL;
    STK_TRY(stk_dataset_range(&data, 0, 5, 1, err));
    stk_status st = stk_dataset_balance(&data, labels, 5, 2, NULL, err);
    if (!st)
        st = stk_iterator_start(
            &it, data,
            &(stk_iterator_options){.threads = 1, .seed = 1, .passes_off = STK_PASS_PREFETCH}, err);
    for (int i = 0; i < 7 && !st; i++) {
        stk_element *element;
        st = stk_iterator_next(it, &element, err);
        stk_element_unref(element);
    }
    stk_iterator_free(it);
    stk_dataset_unref(data);
    return st;
}

STK_TEST(balance_survives_every_failed_allocation)
{
    stk_test_fail_each_allocation(run_all, NULL);
}
