#include "pipeline_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const stk_shuffle_options same_1 = {.seed = 1, .seeded = true, .same_each_epoch = true};

static char *run(stk_dataset *data, uint64_t seed)
{
    return strdup(stk_test_run(data, &(stk_iterator_options){.threads = 1, .seed = seed}, 0));
}

static void expect_permutation(const char *text, int count)
{
    char seen[64] = {0}, *end;
    for (int i = 0; i < count; i++) {
        const long number = strtol(text, &end, 10);
        EXPECT(end != text && number >= 0 && number < count && !seen[number]);
        seen[number] = 1;
        text = end;
    }
    EXPECT_STR_EQ(" .", text);
}

STK_TEST(global_shuffle_is_a_permutation_and_the_same_everywhere) /* 72 */
{
    stk_dataset *data = RANGE(40);
    APPLY(data, global_shuffle, &same_1);
    EXPECT_INT_EQ(40, stk_dataset_cardinality(data));
    char *text = run(data, 7);
    expect_permutation(text, 40);
    EXPECT(strncmp(text, "0 1 2 3 ", 8) != 0);
    EXPECT_GIVES(text, data);
    free(text);
}

STK_TEST(global_shuffle_passes_through_maps_and_batches)
{
    stk_dataset *data = RANGE(8);
    APPLY(data, map, stk_test_multiply(10), NULL);
    APPLY(data, batch, 4, NULL);
    APPLY(data, global_shuffle, &same_1);
    char *text = run(data, 7);
    EXPECT(strcmp(text, "[0 10 20 30] [40 50 60 70] .") == 0 ||
           strcmp(text, "[40 50 60 70] [0 10 20 30] .") == 0);
    EXPECT_GIVES(text, data);
    free(text);
}

STK_TEST(global_epochs_differ_and_can_be_restored) /* 57, 58, 72 */
{
    const stk_shuffle_options options = {.seed = 5, .seeded = true};
    stk_dataset              *data = RANGE(10), *again = RANGE(10);
    APPLY(data, global_shuffle, &options);
    APPLY(data, repeat, 2);
    APPLY(again, global_shuffle, &options);
    APPLY(again, repeat, 2);
    char *first = run(data, 7), *second = run(again, 9), *later = run(data, 7);
    EXPECT_STR_EQ(first, second);
    assert_string_not_equal(first, later);
    const size_t half = strlen(first) / 2;
    EXPECT(strncmp(first, first + half - 1, half - 1) != 0);
    free(first);
    free(second);
    free(later);
    stk_dataset_unref(data);
    stk_dataset_unref(again);
}

STK_TEST(elements_of_a_global_shuffle_can_be_had_by_number) /* 74 */
{
    static const stk_shuffle_options unseeded = {0};
    const stk_shuffle_options       *each[] = {&same_1, &unseeded};
    for (size_t k = 0; k < COUNT_OF(each); k++) {
        stk_error    err;
        stk_element *element;
        stk_dataset *data = RANGE(10);
        int          seen[10] = {0};
        APPLY(data, global_shuffle, each[k]);
        for (uint64_t i = 0; i < 10; i++) {
            EXPECT_OK(stk_dataset_at(data, i, &element, &err));
            seen[stk_test_number(element)]++;
            stk_element_unref(element);
        }
        for (int i = 0; i < 10; i++)
            EXPECT_INT_EQ(1, seen[i]);
        EXPECT_STATUS(STK_E_RANGE, stk_dataset_at(data, 10, &element, &err));
        EXPECT_CONTAINS("element 10 was asked for; there are 10", err.message);
        stk_dataset_unref(data);
    }
}

STK_TEST(the_number_and_the_iteration_agree)
{
    stk_error    err;
    stk_element *element;
    stk_dataset *data = RANGE(5);
    char         text[64] = "";
    APPLY(data, global_shuffle, &same_1);
    for (uint64_t i = 0; i < 5; i++) {
        EXPECT_OK(stk_dataset_at(data, i, &element, &err));
        snprintf(text + strlen(text), 8, "%d ", (int)stk_test_number(element));
        stk_element_unref(element);
    }
    strcat(text, ".");
    EXPECT_GIVES(text, data);
}

STK_TEST(global_shuffle_names_the_stage_that_has_no_numbers)
{
    stk_error    err;
    stk_dataset *data = RANGE(10);
    APPLY(data, filter, stk_test_divides(2));
    APPLY(data, map, stk_test_add(1), NULL);
    EXPECT_STATUS(STK_E_UNSUPPORTED, stk_dataset_global_shuffle(&data, NULL, &err));
    EXPECT_CONTAINS("filter", err.where);
    EXPECT_CONTAINS("put global_shuffle before it", err.message);
    stk_dataset_unref(data);
}

static stk_status random_map(void *context, const stk_call *call, stk_element **element,
                             stk_error *err)
{
    (void)context, (void)call, (void)element, (void)err;
    return STK_OK;
}

STK_TEST(random_maps_belong_after_a_global_shuffle)
{
    stk_error    err;
    stk_dataset *data = RANGE(10);
    APPLY(data, map, stk_test_map("crop", random_map, NULL, STK_FUNCTION_RANDOM), NULL);
    EXPECT_STATUS(STK_E_UNSUPPORTED, stk_dataset_global_shuffle(&data, NULL, &err));
    EXPECT_CONTAINS("the same in every epoch", err.message);
    stk_dataset_unref(data);
}

static stk_status run_all(void *context, stk_error *err)
{
    (void)context;
    stk_dataset  *data;
    stk_iterator *it = NULL;
    STK_TRY(stk_dataset_range(&data, 0, 5, 1, err));
    stk_status st = stk_dataset_global_shuffle(&data, NULL, err);
    if (!st)
        st = stk_iterator_start(
            &it, data,
            &(stk_iterator_options){.threads = 1, .seed = 1, .passes_off = STK_PASS_PREFETCH}, err);
    for (int i = 0; i < 6 && !st; i++) {
        stk_element *element;
        st = stk_iterator_next(it, &element, err);
        stk_element_unref(element);
    }
    stk_iterator_free(it);
    stk_dataset_unref(data);
    return st;
}

STK_TEST(global_shuffle_survives_every_failed_allocation)
{
    stk_test_fail_each_allocation(run_all, NULL);
}
