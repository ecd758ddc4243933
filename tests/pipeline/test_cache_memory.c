#include "cache_support.h"

#include <pthread.h>

STK_TEST(cache_gives_what_its_input_gives) /* 70, 72 */
{
    stk_dataset *data = RANGE(8);
    APPLY(data, map, stk_test_multiply(2), NULL);
    APPLY(data, cache, NULL);
    EXPECT_INT_EQ(8, stk_dataset_cardinality(data));
    EXPECT_GIVES("0 2 4 6 8 10 12 14 .", data);
    data = RANGE(0);
    APPLY(data, cache, NULL);
    APPLY(data, repeat, 2);
    EXPECT_GIVES(".", data);
}

STK_TEST(cache_runs_its_input_once) /* 64 */
{
    int          calls = 0;
    stk_dataset *data = counted(10, &calls);
    APPLY(data, cache, NULL);
    APPLY(data, repeat, 2);
    EXPECT_STR_EQ("0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 .", run_once(data));
    EXPECT_INT_EQ(10, calls);
    EXPECT_GIVES("0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 .", data);
    EXPECT_INT_EQ(10, calls);
}

STK_TEST(a_part_is_not_kept_and_there_is_a_warning) /* 65 */
{
    char          line[512] = "";
    stk_error     err;
    stk_iterator *it;
    stk_dataset  *data = RANGE(10);
    APPLY(data, cache, NULL);
    const stk_iterator_options options = {
        .threads = 1, .log = keep_line, .log_context = line, .passes_off = STK_PASS_ALL};
    EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
    take(it, 5);
    stk_iterator_free(it);
    EXPECT_CONTAINS("cache: the pass ended after 5 elements", line);
    EXPECT_CONTAINS("take(n).cache()", line);
    stk_dataset_unref(data);
}

STK_TEST(a_part_repeated_is_right_all_the_same) /* 65, 66 */
{
    stk_dataset *data = RANGE(10);
    APPLY(data, cache, NULL);
    APPLY(data, filter, stk_test_divides(1));
    APPLY(data, batch, 5, NULL);
    APPLY(data, repeat, 2);
    EXPECT_GIVES("[0 1 2 3 4] [5 6 7 8 9] [0 1 2 3 4] [5 6 7 8 9] .", data);
}

STK_TEST(the_cache_is_complete_with_the_last_of_a_known_number) /* 66 */
{
    int          calls = 0;
    stk_dataset *data = counted(10, &calls);
    APPLY(data, cache, NULL);
    stk_iterator *it = start(data);
    take(it, 10); /* the end is not asked for */
    stk_iterator_free(it);
    EXPECT_STR_EQ("0 1 2 3 4 5 6 7 8 9 .", run_once(data));
    EXPECT_INT_EQ(10, calls);
    stk_dataset_unref(data);
}

STK_TEST(the_first_order_of_a_shuffle_is_frozen) /* 67 */
{
    stk_dataset              *data = RANGE(20);
    const stk_shuffle_options options = {.seed = 1, .seeded = true};
    APPLY(data, shuffle, 20, &options);
    APPLY(data, cache, NULL);
    char *first = strdup(run_once(data));
    EXPECT_STR_EQ(first, run_once(data));
    EXPECT_GIVES(first, data);
    free(first);
}

STK_TEST(two_iterators_build_and_read_one_cache) /* 68 */
{
    int          calls = 0;
    stk_error    err;
    stk_element *element;
    stk_dataset *data = counted(6, &calls);
    APPLY(data, cache, NULL);
    stk_iterator *a = start(data), *b = start(data);
    take(a, 2);
    take(b, 3);
    take(a, 4);
    take(b, 3);
    EXPECT_OK(stk_iterator_next(a, &element, &err));
    assert_null(element);
    EXPECT_OK(stk_iterator_next(b, &element, &err));
    assert_null(element);
    stk_iterator_free(a);
    stk_iterator_free(b);
    EXPECT(calls >= 6 && calls <= 12);
    const int before = calls;
    EXPECT_STR_EQ("0 1 2 3 4 5 .", run_once(data));
    EXPECT_INT_EQ(before, calls);
    stk_dataset_unref(data);
}

static void *run_twice(void *data)
{
    int64_t *sum = calloc(1, sizeof *sum);
    for (int i = 0; i < 2; i++) {
        stk_error     err;
        stk_iterator *it;
        stk_element  *element;
        if (stk_iterator_start(&it, data, &(stk_iterator_options){.threads = 2}, &err)) return sum;
        while (!stk_iterator_next(it, &element, &err) && element) {
            *sum += stk_test_number(element);
            stk_element_unref(element);
        }
        stk_iterator_free(it);
    }
    return sum;
}

STK_TEST(threads_build_and_read_one_cache) /* 68 */
{
    pthread_t    threads[4];
    stk_dataset *data = RANGE(500);
    APPLY(data, map, stk_test_add(1), NULL);
    APPLY(data, cache, NULL);
    for (int i = 0; i < 4; i++)
        EXPECT_INT_EQ(0, pthread_create(&threads[i], NULL, run_twice, data));
    for (int i = 0; i < 4; i++) {
        void *sum;
        EXPECT_INT_EQ(0, pthread_join(threads[i], &sum));
        EXPECT_INT_EQ(2 * 500 * 501 / 2, *(int64_t *)sum);
        free(sum);
    }
    stk_dataset_unref(data);
}

STK_TEST(errors_pass_once_and_are_not_cached)
{
    stk_dataset *data = RANGE(5);
    APPLY(data, map, stk_test_fail_on(2), NULL);
    APPLY(data, cache, NULL);
    APPLY(data, repeat, 2);
    EXPECT_STR_EQ("0 1 !invalid_argument 3 4 0 1 3 4 .", run_once(data));
    EXPECT_STR_EQ("0 1 3 4 0 1 3 4 .", run_once(data));
    stk_dataset_unref(data);
}

/* Saved in one dataset, restored in one that was made anew: there is no cache in it. */
static void expect_elsewhere(int64_t repeats, bool errors, const char *expected, size_t results)
{
    for (size_t taken = 0; taken <= results; taken++) {
        stk_error     err;
        stk_element  *element;
        stk_blob      saved;
        stk_dataset  *data[2];
        stk_iterator *it[2];
        char          text[512] = "";
        stk_blob_init(&saved, NULL, STK_MEMORY_INDEX);
        const stk_shuffle_options options = {.seed = 1, .seeded = true};
        for (int i = 0; i < 2; i++) {
            data[i] = RANGE(6);
            if (errors) APPLY(data[i], map, stk_test_fail_on(2), NULL);
            APPLY(data[i], shuffle, errors ? 1 : 6, &options);
            APPLY(data[i], cache, NULL);
            APPLY(data[i], repeat, repeats);
            it[i] = start(data[i]);
        }
        for (size_t i = 0; i < results; i++) {
            const int at = i >= taken;
            if (i == taken) {
                EXPECT_OK(stk_iterator_save(it[0], &saved, &err));
                EXPECT_OK(stk_iterator_restore(it[1], stk_blob_bytes(&saved), &err));
            }
            const stk_status st = stk_iterator_next(it[at], &element, &err);
            if (st)
                strcat(text, "! ");
            else
                snprintf(text + strlen(text), 16, "%d ", (int)stk_test_number(element));
            stk_element_unref(element);
        }
        EXPECT_STR_EQ(expected, text);
        for (int i = 0; i < 2; i++) {
            stk_iterator_free(it[i]);
            stk_dataset_unref(data[i]);
        }
        stk_blob_release(&saved);
    }
}

STK_TEST(a_checkpoint_holds_where_there_is_no_cache) /* 72 */
{
    stk_dataset              *data = RANGE(6);
    const stk_shuffle_options options = {.seed = 1, .seeded = true};
    char                      once[64], thrice[256];
    APPLY(data, shuffle, 6, &options);
    snprintf(once, sizeof once, "%s", run_once(data));
    stk_dataset_unref(data);
    once[strlen(once) - 1] = 0;
    snprintf(thrice, sizeof thrice, "%s%s%s", once, once, once);
    expect_elsewhere(3, false, thrice, 18);
    expect_elsewhere(2, true, "0 1 ! 3 4 5 0 1 3 4 5 ", 11);
}

STK_TEST(a_cache_that_does_not_fit_says_so_and_loses_nothing)
{
    stk_error     err;
    stk_iterator *it;
    stk_element  *element;
    stk_dataset  *data = RANGE(20000);
    APPLY(data, cache, NULL);
    EXPECT_OK(stk_iterator_start(
        &it, data,
        &(stk_iterator_options){.threads = 1, .memory_bytes = 1 << 20, .passes_off = STK_PASS_ALL},
        &err));
    int64_t expected = 0, errors = 0;
    for (;;) {
        const stk_status st = stk_iterator_next(it, &element, &err);
        if (st) {
            errors++;
            EXPECT_INT_EQ(STK_E_CEILING, st);
            EXPECT_CONTAINS("cache on disk", err.message);
            continue;
        }
        if (!element) break;
        EXPECT_INT_EQ(expected++, stk_test_number(element));
        stk_element_unref(element);
    }
    EXPECT_INT_EQ(20000, expected);
    EXPECT_INT_EQ(1, errors);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

STK_TEST(the_cache_is_accounted_and_goes_with_its_dataset)
{
    stk_error         err;
    stk_iterator     *it;
    stk_ledger       *ledger;
    stk_ledger_report report;
    stk_dataset      *data = RANGE(1000);
    APPLY(data, cache, NULL);
    EXPECT_OK(stk_ledger_new(&ledger, 64 << 20, &err));
    EXPECT_OK(stk_iterator_start(&it, data, &(stk_iterator_options){.threads = 1, .ledger = ledger},
                                 &err));
    take(it, 1000);
    stk_iterator_free(it);
    stk_ledger_read(ledger, &report);
    EXPECT(report.lines[STK_MEMORY_CACHE].bytes > 1000 * 100);
    stk_dataset_unref(data);
    stk_ledger_read(ledger, &report);
    EXPECT_INT_EQ(0, report.bytes);
    stk_ledger_unref(ledger);
}

static stk_status run_all(void *context, stk_error *err)
{
    (void)context;
    stk_dataset  *data;
    stk_iterator *it = NULL;
    stk_blob      saved;
    stk_blob_init(&saved, NULL, STK_MEMORY_INDEX);
    STK_TRY(stk_dataset_range(&data, 0, 5, 1, err));
    stk_status st = stk_dataset_cache(&data, NULL, err);
    if (!st) st = stk_dataset_repeat(&data, 2, err);
    if (!st)
        st = stk_iterator_start(
            &it, data, &(stk_iterator_options){.threads = 1, .seed = 1, .passes_off = STK_PASS_ALL},
            err);
    for (int i = 0; i < 11 && !st; i++) {
        stk_element *element;
        st = stk_iterator_next(it, &element, err);
        stk_element_unref(element);
        if (!st && i == 3) st = stk_iterator_save(it, &saved, err);
        if (!st && i == 3) st = stk_iterator_restore(it, stk_blob_bytes(&saved), err);
    }
    stk_iterator_free(it);
    stk_blob_release(&saved);
    stk_dataset_unref(data);
    return st;
}

STK_TEST(cache_survives_every_failed_allocation)
{
    stk_test_fail_each_allocation(run_all, NULL);
}
