#include "base/clock.h"
#include "pipeline_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sanitizers make ten million elements take minutes. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STK_SLOW
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define STK_SLOW
#endif
#endif

static const stk_shuffle_options seed_1 = {.seed = 1, .seeded = true};
static const stk_shuffle_options seed_2 = {.seed = 2, .seeded = true};
static const stk_shuffle_options same_1 = {.seed = 1, .seeded = true, .same_each_epoch = true};
static const stk_shuffle_options same = {.same_each_epoch = true};

static stk_dataset *shuffled(int64_t count, int64_t buffer, const stk_shuffle_options *options)
{
    stk_dataset *data = RANGE(count);
    APPLY(data, shuffle, buffer, options);
    return data;
}

static const char *run_fresh(stk_dataset *data, int threads, uint64_t seed)
{
    const char *text =
        stk_test_run(data, &(stk_iterator_options){.threads = threads, .seed = seed}, 0);
    stk_dataset_unref(data);
    return text;
}

/* The numbers of one pass. */
static size_t numbers_of(stk_dataset *data, uint64_t seed, int64_t *numbers, size_t capacity)
{
    stk_error     err;
    stk_iterator *it;
    stk_element  *element;
    size_t        count = 0;
    EXPECT_OK(
        stk_iterator_start(&it, data, &(stk_iterator_options){.threads = 1, .seed = seed}, &err));
    for (;;) {
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        if (!element) break;
        assert_true(count < capacity);
        numbers[count++] = stk_test_number(element);
        stk_element_unref(element);
    }
    stk_iterator_free(it);
    return count;
}

static void expect_permutation(const int64_t *numbers, size_t count)
{
    char *seen = calloc(count + 1, 1);
    for (size_t i = 0; i < count; i++) {
        assert_true(numbers[i] >= 0 && numbers[i] < (int64_t)count && !seen[numbers[i]]);
        seen[numbers[i]] = 1;
    }
    free(seen);
}

STK_TEST(shuffle_gives_every_element_once) /* 53 */
{
    static const int64_t buffers[] = {1, 2, 7, 99, 100, 101, 1000, STK_BUFFER_EPOCH};
    for (size_t i = 0; i < COUNT_OF(buffers); i++) {
        int64_t      numbers[101];
        stk_dataset *data = shuffled(100, buffers[i], &seed_1);
        EXPECT_INT_EQ(100, stk_dataset_cardinality(data));
        EXPECT_INT_EQ(100, numbers_of(data, 7, numbers, 101));
        expect_permutation(numbers, 100);
        stk_dataset_unref(data);
    }
}

STK_TEST(shuffle_is_the_same_everywhere_when_every_epoch_is) /* 53, 57, 72, 73 */
{
    stk_dataset *data = shuffled(20, 6, &same_1);
    const char  *text = stk_test_run(data, &(stk_iterator_options){.threads = 1, .seed = 7}, 0);
    char         kept[256];
    snprintf(kept, sizeof kept, "%s", text);
    EXPECT_GIVES(kept, data);
    data = shuffled(12, STK_BUFFER_EPOCH, &same);
    snprintf(kept, sizeof kept, "%s",
             stk_test_run(data, &(stk_iterator_options){.threads = 1, .seed = 7}, 0));
    EXPECT_GIVES(kept, data);
}

STK_TEST(a_buffer_of_one_keeps_the_order) /* 54 */
{
    EXPECT_GIVES("0 1 2 3 4 5 6 7 8 9 .", shuffled(10, 1, &seed_1));
    EXPECT_GIVES("0 1 2 3 4 .", shuffled(5, 1, NULL));
    EXPECT_GIVES(".", shuffled(0, 5, NULL));
}

static stk_status draw_number(void *context, const stk_call *call, stk_element **element,
                              stk_error *err)
{
    (void)context;
    STK_TRY(stk_element_make_unique(element, err));
    stk_value_i64(stk_element_edit(*element, 0), (int64_t)stk_call_below(call, 0, 0, 1000000));
    return STK_OK;
}

STK_TEST(a_buffer_of_one_on_top_changes_no_random_numbers_below) /* 54 */
{
    stk_dataset *plain = RANGE(20), *topped;
    APPLY(plain, map, stk_test_map("draw", draw_number, NULL, STK_FUNCTION_RANDOM), NULL);
    APPLY(plain, shuffle, 20, NULL);
    topped = stk_dataset_ref(plain);
    APPLY(topped, shuffle, 1, NULL);
    APPLY(topped, shuffle, 1, &seed_2);
    EXPECT_STR_EQ(run_fresh(plain, 1, 7), run_fresh(topped, 3, 7));
}

STK_TEST(the_same_seed_gives_the_same_order_and_another_another) /* 55, 58 */
{
    const char *first = run_fresh(shuffled(20, 20, &seed_1), 1, 7);
    EXPECT_STR_EQ(first, run_fresh(shuffled(20, 20, &seed_1), 3, 8));
    assert_string_not_equal(first, run_fresh(shuffled(20, 20, &seed_2), 1, 7));
    stk_dataset *epochs = shuffled(20, 20, &seed_1), *again = shuffled(20, 20, &seed_1);
    APPLY(epochs, repeat, 3);
    APPLY(again, repeat, 3);
    EXPECT_STR_EQ(run_fresh(epochs, 1, 7), run_fresh(again, 8, 9));
}

STK_TEST(no_element_comes_earlier_than_the_buffer_allows) /* 56 */
{
    for (uint64_t seed = 1; seed < 20; seed++) {
        int64_t                   numbers[201];
        const stk_shuffle_options options = {.seed = seed, .seeded = true};
        stk_dataset              *data = shuffled(200, 10, &options);
        EXPECT_INT_EQ(200, numbers_of(data, 1, numbers, 201));
        for (int64_t i = 0; i < 200; i++)
            assert_true(numbers[i] <= i + 9);
        stk_dataset_unref(data);
    }
}

STK_TEST(every_place_of_the_buffer_is_as_likely) /* 53 */
{
    int64_t first[8] = {0}, numbers[9];
    for (uint64_t seed = 0; seed < 8000; seed++) {
        const stk_shuffle_options options = {.seed = seed, .seeded = true};
        stk_dataset              *data = shuffled(8, 8, &options);
        numbers_of(data, 1, numbers, 9);
        first[numbers[0]]++;
        stk_dataset_unref(data);
    }
    for (int i = 0; i < 8; i++) /* 1000 expected; six standard deviations */
        assert_true(first[i] > 820 && first[i] < 1180);
}

/* Two epochs of one iterator, and of two. */
static void expect_epochs(const stk_shuffle_options *options, bool equal)
{
    int64_t      numbers[40], second[40];
    stk_dataset *data = shuffled(20, 10, options), *twice = shuffled(20, 10, options);
    APPLY(twice, repeat, 2);
    EXPECT_INT_EQ(40, numbers_of(twice, 7, numbers, 40));
    expect_permutation(numbers, 20);
    expect_permutation(numbers + 20, 20);
    assert_int_equal(equal, memcmp(numbers, numbers + 20, 20 * sizeof *numbers) == 0);
    EXPECT_INT_EQ(20, numbers_of(data, 7, numbers, 40));
    EXPECT_INT_EQ(20, numbers_of(data, 7, second, 40));
    assert_int_equal(equal, memcmp(numbers, second, 20 * sizeof *numbers) == 0);
    stk_dataset_unref(data);
    stk_dataset_unref(twice);
}

STK_TEST(epochs_differ_unless_they_are_to_be_the_same) /* 57, 59, 63 */
{
    const stk_shuffle_options unseeded = {0};
    expect_epochs(&seed_1, false);
    expect_epochs(&unseeded, false);
    expect_epochs(&same_1, true);
    expect_epochs(&same, true);
}

STK_TEST(a_shuffle_over_repeat_mixes_epochs) /* 59 */
{
    int64_t      numbers[61], seen[20] = {0};
    bool         mixed = false;
    stk_dataset *data = RANGE(20);
    APPLY(data, repeat, 3);
    APPLY(data, shuffle, 30, &seed_1);
    EXPECT_INT_EQ(60, numbers_of(data, 7, numbers, 61));
    for (int i = 0; i < 60; i++) {
        seen[numbers[i]]++;
        if (i < 20 && seen[numbers[i]] == 2) mixed = true; /* a second one before all had a first */
    }
    EXPECT(mixed);
    for (int i = 0; i < 20; i++)
        EXPECT_INT_EQ(3, seen[i]);
    stk_dataset_unref(data);
}

/* One from each in turn. */
STK_TEST(iterators_that_run_at_the_same_time_have_their_own_orders) /* 63 */
{
    stk_error     err;
    stk_iterator *it[2];
    stk_element  *element;
    int64_t       numbers[2][20];
    stk_dataset  *data = shuffled(20, 20, NULL);
    for (int i = 0; i < 2; i++)
        EXPECT_OK(stk_iterator_start(&it[i], data, &(stk_iterator_options){.threads = 2}, &err));
    for (int k = 0; k < 20; k++)
        for (int i = 0; i < 2; i++) {
            EXPECT_OK(stk_iterator_next(it[i], &element, &err));
            assert_non_null(element);
            numbers[i][k] = stk_test_number(element);
            stk_element_unref(element);
        }
    for (int i = 0; i < 2; i++) {
        expect_permutation(numbers[i], 20);
        stk_iterator_free(it[i]);
    }
    EXPECT(memcmp(numbers[0], numbers[1], sizeof numbers[0]) != 0);
    stk_dataset_unref(data);
}

STK_TEST(a_drawn_seed_is_not_in_the_fingerprint)
{
    stk_dataset *a = shuffled(20, 20, &same), *b = shuffled(20, 20, &same);
    stk_dataset *c = shuffled(20, 21, &same), *d = shuffled(20, 20, &same_1);
    EXPECT(stk_dataset_fingerprint(a) == stk_dataset_fingerprint(b));
    EXPECT(stk_dataset_fingerprint(a) != stk_dataset_fingerprint(c));
    EXPECT(stk_dataset_fingerprint(a) != stk_dataset_fingerprint(d));
    stk_dataset_unref(a);
    stk_dataset_unref(b);
    stk_dataset_unref(c);
    stk_dataset_unref(d);
}

STK_TEST(errors_come_at_once_and_are_not_kept) /* 4 */
{
    stk_dataset *data = RANGE(10);
    APPLY(data, map, stk_test_fail_on(2), NULL);
    APPLY(data, map, stk_test_fail_on(6), NULL);
    APPLY(data, map, stk_test_fail_on(9), NULL);
    APPLY(data, shuffle, 4, &same_1);
    char kept[256];
    snprintf(kept, sizeof kept, "%s",
             stk_test_run(data, &(stk_iterator_options){.threads = 1, .seed = 7}, 0));
    EXPECT(strncmp(kept, "!invalid_argument ", 18) == 0);
    EXPECT_GIVES(kept, data);
    data = RANGE(3);
    APPLY(data, map, stk_test_fail_on(1), NULL);
    APPLY(data, shuffle, 1, NULL);
    EXPECT_GIVES("0 !invalid_argument 2 .", data);
}

STK_TEST(shuffle_refuses_other_buffers) /* 62 */
{
    static const int64_t bad[] = {0, -1, -3, INT64_MIN};
    stk_error            err;
    stk_dataset         *data = RANGE(3);
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        EXPECT_STATUS(STK_E_INVALID, stk_dataset_shuffle(&data, bad[i], NULL, &err));
    EXPECT_CONTAINS("the buffer is -9223372036854775808 elements; give 1 or more", err.message);
    stk_dataset_unref(data);
}

STK_TEST(a_checkpoint_of_an_unseeded_order_holds_in_a_dataset_made_anew) /* 72 */
{
    stk_error     err;
    stk_iterator *it;
    stk_element  *element;
    stk_blob      saved;
    int64_t       first[60], second[60];
    stk_blob_init(&saved, NULL, STK_MEMORY_INDEX);
    stk_dataset *data = shuffled(20, 8, &same), *anew = shuffled(20, 8, &same);
    APPLY(data, repeat, 3);
    APPLY(anew, repeat, 3);
    EXPECT_INT_EQ(60, numbers_of(data, 7, first, 60));
    EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
    for (int i = 0; i < 13; i++) {
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        stk_element_unref(element);
    }
    EXPECT_OK(stk_iterator_save(it, &saved, &err));
    stk_iterator_free(it);
    EXPECT_OK(stk_iterator_start(&it, anew, NULL, &err));
    EXPECT_OK(stk_iterator_restore(it, stk_blob_bytes(&saved), &err));
    for (int i = 13; i < 60; i++) {
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        second[i] = stk_test_number(element);
        EXPECT_INT_EQ(first[i], second[i]);
        stk_element_unref(element);
    }
    stk_iterator_free(it);
    stk_blob_release(&saved);
    stk_dataset_unref(data);
    stk_dataset_unref(anew);
}

/* Fresh datasets of one seed: those that reshuffle can be restored only into a new iterator. */
static void expect_restored(int64_t count, int64_t buffer, int64_t repeats)
{
    for (int64_t taken = 0; taken <= count * repeats; taken++) {
        stk_error     err;
        stk_iterator *it;
        stk_element  *element;
        stk_blob      saved;
        int64_t       all[200];
        stk_dataset  *data = shuffled(count, buffer, &seed_1),
                    *fresh = shuffled(count, buffer, &seed_1);
        APPLY(data, repeat, repeats);
        APPLY(fresh, repeat, repeats);
        stk_blob_init(&saved, NULL, STK_MEMORY_INDEX);
        EXPECT_INT_EQ(count * repeats, numbers_of(fresh, 3, all, 200));
        EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
        for (int64_t i = 0; i < taken; i++) {
            EXPECT_OK(stk_iterator_next(it, &element, &err));
            EXPECT_INT_EQ(all[i], stk_test_number(element));
            stk_element_unref(element);
        }
        EXPECT_OK(stk_iterator_save(it, &saved, &err));
        stk_iterator_free(it);
        EXPECT_OK(stk_iterator_start(&it, fresh, NULL, &err));
        EXPECT_OK(stk_iterator_restore(it, stk_blob_bytes(&saved), &err));
        for (int64_t i = taken; i < count * repeats; i++) {
            EXPECT_OK(stk_iterator_next(it, &element, &err));
            EXPECT_INT_EQ(all[i], stk_test_number(element));
            stk_element_unref(element);
        }
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        assert_null(element);
        stk_iterator_free(it);
        stk_blob_release(&saved);
        stk_dataset_unref(data);
        stk_dataset_unref(fresh);
    }
}

STK_TEST(reshuffled_epochs_are_restored_at_every_place) /* 72 */
{
    stk_test_watchdog(120);
    expect_restored(12, 5, 3);
    expect_restored(12, 12, 2);
    expect_restored(12, STK_BUFFER_EPOCH, 2);
    expect_restored(3, 100, 3);
}

static void expect_tiny_checkpoint(int64_t count, int64_t buffer, int64_t taken)
{
    stk_error     err;
    stk_iterator *it;
    stk_element  *element;
    stk_blob      saved;
    stk_blob_init(&saved, NULL, STK_MEMORY_INDEX);
    stk_dataset *data = shuffled(count, buffer, &seed_1);
    EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
    for (int64_t i = 0; i < taken; i++) {
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        stk_element_unref(element);
    }
    const uint64_t begin = stk_clock_ns();
    EXPECT_OK(stk_iterator_save(it, &saved, &err));
    const uint64_t ns = stk_clock_ns() - begin;
    EXPECT(saved.size < 64 << 10);
    EXPECT(ns < 10000000);
    EXPECT_OK(stk_iterator_next(it, &element, &err));
    const int64_t expected = stk_test_number(element);
    stk_element_unref(element);
    EXPECT_OK(stk_iterator_restore(it, stk_blob_bytes(&saved), &err));
    EXPECT_OK(stk_iterator_next(it, &element, &err));
    EXPECT_INT_EQ(expected, stk_test_number(element));
    stk_element_unref(element);
    stk_iterator_free(it);
    stk_dataset_unref(data);
    stk_blob_release(&saved);
}

STK_TEST(a_checkpoint_among_ten_million_is_tiny_and_quick)
{
    stk_test_watchdog(280);
#ifdef STK_SLOW
    expect_tiny_checkpoint(100000, 10000, 50000);
    expect_tiny_checkpoint(100000, 10000000, 50000);
#else
    expect_tiny_checkpoint(10000000, 10000, 5000000);
    expect_tiny_checkpoint(1000000, 10000000, 500000);
#endif
}

/* Small views of one large block each. */
static stk_status as_view(void *context, const stk_call *call, stk_element **element,
                          stk_error *err)
{
    (void)context;
    stk_buffer  *block;
    stk_element *made;
    STK_TRY(stk_buffer_new(&block, call->ledger, STK_MEMORY_READ, 256 << 10, err));
    memcpy(stk_buffer_data(block) + 1000, stk_value_data(stk_element_value(*element, 0)), 8);
    stk_status st = stk_element_new(&made, 1, err);
    if (!st)
        stk_value_view(stk_element_edit(made, 0), stk_bytes_of(stk_buffer_data(block) + 1000, 500),
                       block);
    stk_buffer_unref(block);
    if (st) return st;
    stk_element_unref(*element);
    *element = made;
    return STK_OK;
}

STK_TEST(small_views_do_not_keep_their_blocks)
{
    stk_error         err;
    stk_iterator     *it;
    stk_element      *element;
    stk_ledger       *ledger;
    stk_ledger_report report;
    stk_dataset      *data = RANGE(1000);
    int64_t           sum = 0;
    APPLY(data, map, stk_test_map("as_view", as_view, NULL, 0), &(stk_map_options){.parallel = 1});
    APPLY(data, shuffle, 500, &seed_1);
    EXPECT_OK(stk_ledger_new(&ledger, 64 << 20, &err));
    EXPECT_OK(stk_iterator_start(&it, data, &(stk_iterator_options){.threads = 1, .ledger = ledger},
                                 &err));
    for (int i = 0; i < 1000; i++) {
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        int64_t number;
        memcpy(&number, stk_element_value(element, 0)->small.view.data, 8);
        sum += number;
        stk_element_unref(element);
    }
    EXPECT_INT_EQ(499500, sum);
    stk_ledger_read(ledger, &report);
    EXPECT(report.lines[STK_MEMORY_READ].peak_bytes < 4 << 20);
    EXPECT(report.lines[STK_MEMORY_SHUFFLE].peak_bytes > 500 * 500);
    EXPECT(report.lines[STK_MEMORY_SHUFFLE].peak_bytes < 2 << 20);
    stk_iterator_free(it);
    stk_ledger_read(ledger, &report);
    EXPECT_INT_EQ(0, report.bytes);
    stk_ledger_unref(ledger);
    stk_dataset_unref(data);
}

STK_TEST(the_ceiling_is_named_with_what_to_do)
{
    stk_error     err;
    stk_iterator *it;
    stk_element  *element;
    stk_dataset  *data = shuffled(100000, 100000, &seed_1);
    EXPECT_OK(stk_iterator_start(
        &it, data, &(stk_iterator_options){.threads = 1, .memory_bytes = 1 << 20}, &err));
    EXPECT_STATUS(STK_E_CEILING, stk_iterator_next(it, &element, &err));
    EXPECT_CONTAINS("make the shuffle buffer smaller", err.message);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

STK_TEST(a_damaged_place_is_an_error)
{
    stk_error     err;
    stk_iterator *it;
    stk_element  *element;
    stk_blob      saved;
    stk_blob_init(&saved, NULL, STK_MEMORY_INDEX);
    stk_dataset *data = shuffled(20, 5, &seed_1);
    EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
    for (int i = 0; i < 9; i++) {
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        stk_element_unref(element);
    }
    EXPECT_OK(stk_iterator_save(it, &saved, &err));
    for (size_t i = 0; i < saved.size; i++) {
        saved.data[i] ^= 8;
        EXPECT(stk_iterator_restore(it, stk_blob_bytes(&saved), &err) != STK_OK);
        saved.data[i] ^= 8;
    }
    EXPECT_OK(stk_iterator_restore(it, stk_blob_bytes(&saved), &err));
    stk_iterator_free(it);
    stk_blob_release(&saved);
    stk_dataset_unref(data);
}

static stk_status run_all(void *context, stk_error *err)
{
    (void)context;
    stk_dataset  *data;
    stk_iterator *it = NULL;
    stk_blob      saved;
    stk_blob_init(&saved, NULL, STK_MEMORY_INDEX);
    STK_TRY(stk_dataset_range(&data, 0, 12, 1, err));
    stk_status st = stk_dataset_shuffle(&data, 5, &same, err);
    if (!st)
        st = stk_iterator_start(
            &it, data,
            &(stk_iterator_options){.threads = 1, .seed = 1, .passes_off = STK_PASS_PREFETCH}, err);
    for (int i = 0; i < 20 && !st; i++) {
        stk_element *element;
        st = stk_iterator_next(it, &element, err);
        stk_element_unref(element);
        if (!st && i == 6) st = stk_iterator_save(it, &saved, err);
        if (!st && i == 7) st = stk_iterator_restore(it, stk_blob_bytes(&saved), err);
    }
    stk_iterator_free(it);
    stk_blob_release(&saved);
    stk_dataset_unref(data);
    return st;
}

STK_TEST(shuffle_survives_every_failed_allocation)
{
    stk_test_fail_each_allocation(run_all, NULL);
}

STK_TEST(the_example_of_the_page_on_shuffle)
{
    stk_dataset *data = shuffled(6, 6, &seed_1);
    APPLY(data, repeat, 2);
    EXPECT_STR_EQ("1 0 3 2 4 5 1 5 4 3 2 0 .", run_fresh(data, 2, 0));
}
