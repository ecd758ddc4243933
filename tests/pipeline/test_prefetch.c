#include "values_support.h"

#include <time.h>

STK_TEST(prefetch_changes_neither_values_nor_order) /* 52 */
{
    static const int64_t counts[] = {0, 1, 2, 42, STK_AUTO};
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        stk_dataset *data = RANGE(8);
        APPLY(data, prefetch, counts[i]);
        EXPECT_INT_EQ(8, stk_dataset_cardinality(data));
        EXPECT_GIVES("0 1 2 3 4 5 6 7 .", data);
    }
}

STK_TEST(errors_are_queued_in_their_place) /* 4 */
{
    stk_dataset *data = NUMBERS(1, 2, 3, 4, 5);
    APPLY(data, map, stk_test_fail_on(4), NULL);
    APPLY(data, prefetch, 2);
    EXPECT_GIVES("1 2 3 !invalid_argument 5 .", data);
    data = NUMBERS(1, 2, 3, 4, 5);
    APPLY(data, map, stk_test_fail_on(4), &(stk_map_options){.parallel = 2});
    APPLY(data, prefetch, 2);
    EXPECT_GIVES("1 2 3 !invalid_argument 5 .", data);
}

STK_TEST(prefetch_of_minus_2_is_refused) /* 52 */
{
    stk_error    err;
    stk_dataset *data = RANGE(3);
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_prefetch(&data, -2, &err));
    EXPECT_CONTAINS("the number of elements is -2", err.message);
    stk_dataset_unref(data);
}

static stk_status count_calls(void *context, const stk_call *call, stk_element **element,
                              stk_error *err)
{
    (void)call;
    (void)element;
    (void)err;
    __atomic_fetch_add((int *)context, 1, __ATOMIC_SEQ_CST);
    return STK_OK;
}

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* Takes ten, waits until the producer has run expected times, and then for a while that it does
 * not run on. */
static void expect_runs(int64_t ahead, unsigned traits, int threads, unsigned passes_off)
{
    int           calls = 0;
    stk_error     err;
    stk_iterator *it;
    stk_dataset  *data = RANGE(1000);
    PUT(data, map, stk_test_map("count", count_calls, &calls, traits),
        &(stk_map_options){.parallel = 1});
    PUT(data, prefetch, ahead);
    const stk_iterator_options options = {.threads = threads, .passes_off = passes_off};
    EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
    for (int i = 0; i < 10; i++) {
        stk_element *element;
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        EXPECT_INT_EQ(i, stk_test_number(element));
        stk_element_unref(element);
    }
    const int expected = 10 + (int)ahead;
    for (int i = 0; i < 5000 && __atomic_load_n(&calls, __ATOMIC_SEQ_CST) < expected; i++)
        nap();
    for (int i = 0; i < 20; i++)
        nap();
    EXPECT_INT_EQ(expected, __atomic_load_n(&calls, __ATOMIC_SEQ_CST));
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

STK_TEST(the_producer_runs_exactly_so_far_ahead) /* 52 */
{
    stk_test_watchdog(120);
    static const int64_t counts[] = {0, 1, 2, 42};
    for (size_t i = 0; i < COUNT_OF(counts); i++)
        for (int threads = 2; threads <= 4; threads += 2) {
            expect_runs(counts[i], STK_FUNCTION_STATEFUL, threads, 0);
            expect_runs(counts[i], STK_FUNCTION_PURE, threads, 0);
            expect_runs(counts[i], STK_FUNCTION_STATEFUL, threads, STK_PASS_ALL);
        }
}

STK_TEST(prefetch_can_be_had_by_number) /* 74 */
{
    stk_error    err;
    stk_element *element;
    stk_dataset *data = RANGE(3);
    PUT(data, prefetch, 2);
    EXPECT_OK(stk_dataset_at(data, 2, &element, &err));
    EXPECT_INT_EQ(2, stk_test_number(element));
    stk_element_unref(element);
    EXPECT_STATUS(STK_E_RANGE, stk_dataset_at(data, 3, &element, &err));
    stk_dataset_unref(data);
}

STK_TEST(prefetch_is_stopped_in_the_middle)
{
    stk_test_watchdog(60);
    stk_error     err;
    stk_iterator *it;
    stk_element  *element;
    stk_dataset  *data = RANGE(1000000);
    PUT(data, prefetch, 100);
    for (int i = 0; i < 20; i++) {
        const stk_iterator_options options = {.threads = 3};
        EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
        for (int k = 0; k < i; k++) {
            EXPECT_OK(stk_iterator_next(it, &element, &err));
            stk_element_unref(element);
        }
        stk_iterator_free(it);
    }
    stk_dataset_unref(data);
}
