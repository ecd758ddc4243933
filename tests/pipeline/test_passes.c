#include "pipeline_support.h"

#include <stdio.h>
#include <string.h>

static const char *explain(stk_dataset *data, unsigned passes)
{
    static char kept[8192];
    stk_blob    text;
    stk_error   err;
    stk_blob_init(&text, NULL, STK_MEMORY_INDEX);
    EXPECT_OK(stk_dataset_explain(data, passes, &text, &err));
    snprintf(kept, sizeof kept, "%.*s", (int)text.size, (const char *)text.data);
    stk_blob_release(&text);
    return kept;
}

static void expect_lacks(const char *part, const char *text)
{
    if (strstr(text, part)) fail_msg("'%s' is in:\n%s", part, text);
}

static stk_status add_random(void *context, const stk_call *call, stk_element **element,
                             stk_error *err)
{
    (void)context;
    const int64_t number =
        stk_test_number(*element) * 1000 + (int64_t)stk_call_below(call, 0, 0, 1000);
    STK_TRY(stk_element_make_unique(element, err));
    stk_value_i64(stk_element_edit(*element, 0), number);
    return STK_OK;
}

static stk_status keep_most(void *context, const stk_call *call, const stk_element *element,
                            bool *keep, stk_error *err)
{
    (void)context;
    (void)element;
    (void)err;
    *keep = stk_call_below(call, 0, 0, 4) > 0;
    return STK_OK;
}

static stk_status refuse(void *number, const stk_call *call, const stk_element *element, bool *keep,
                         stk_error *err)
{
    (void)call;
    *keep = true;
    if (stk_test_number(element) != (int64_t)(intptr_t)number) return STK_OK;
    return stk_fail(err, STK_E_INVALID, "refuse", NULL, "the number is not wanted");
}

typedef struct counter {
    uint64_t calls; /* atomic */
} counter;

static stk_status count_calls(void *context, const stk_call *call, stk_element **element,
                              stk_error *err)
{
    (void)call;
    (void)element;
    (void)err;
    __atomic_fetch_add(&((counter *)context)->calls, 1, __ATOMIC_RELAXED);
    return STK_OK;
}

static stk_function *refuse_number(int64_t number)
{
    return stk_test_test("refuse", refuse, (void *)(intptr_t)number);
}

static stk_function *random_map(void)
{
    return stk_test_map("add_random", add_random, NULL, STK_FUNCTION_RANDOM);
}

/* Random numbers differ from one iterator over a dataset to the next: every run has its own. */
static void expect_same_with_and_without(stk_dataset *(*make)(void))
{
    stk_iterator_options options = {.threads = 1, .seed = 7, .passes_off = STK_PASS_ALL};
    stk_dataset         *data = make();
    const char          *plain = stk_test_run(data, &options, 0);
    stk_dataset_unref(data);
    for (options.threads = 1; options.threads < 9; options.threads += 7)
        for (unsigned off = 0; off <= STK_PASS_ALL; off = off ? off * 2 : 1) {
            data = make();
            options.passes_off = off;
            EXPECT_STR_EQ(plain, stk_test_run(data, &options, 0));
            stk_dataset_unref(data);
        }
}

STK_TEST(every_pass_has_a_name)
{
    EXPECT_STR_EQ("noop", stk_pass_name(STK_PASS_NOOP));
    EXPECT_STR_EQ("map_fusion", stk_pass_name(STK_PASS_MAP_FUSION));
    EXPECT_STR_EQ("filter_fusion", stk_pass_name(STK_PASS_FILTER_FUSION));
    EXPECT_STR_EQ("map_filter", stk_pass_name(STK_PASS_MAP_FILTER));
    EXPECT_STR_EQ("map_batch", stk_pass_name(STK_PASS_MAP_BATCH));
    EXPECT_STR_EQ("parallel_batch", stk_pass_name(STK_PASS_PARALLEL_BATCH));
    EXPECT_STR_EQ("prefetch", stk_pass_name(STK_PASS_PREFETCH));
    EXPECT_STR_EQ("io_prefetch", stk_pass_name(STK_PASS_IO_PREFETCH));
    EXPECT_STR_EQ("cache", stk_pass_name(STK_PASS_CACHE));
    assert_null(stk_pass_name((stk_pass)3));
    assert_null(stk_pass_name((stk_pass)0));
}

STK_TEST(explain_has_one_line_a_stage_source_first)
{
    stk_dataset *data = RANGE(10);
    APPLY(data, map, stk_test_add(1), NULL);
    APPLY(data, filter, stk_test_divides(2));
    APPLY(data, batch, 4, NULL);
    APPLY(data, repeat, -1);
    EXPECT_STR_EQ("range(0, 10, 1)  (0: int64[])  10\n"
                  "map(add[1])  (?)  10\n"
                  "filter(divides[2])  (?)  unknown number\n"
                  "batch(4)  (?)  unknown number\n"
                  "repeat(for ever)  (?)  infinite\n",
                  explain(data, 0));
    stk_dataset_unref(data);
}

STK_TEST(explain_shows_the_plan_after_each_pass_that_changed_it)
{
    stk_dataset *data = RANGE(10);
    APPLY(data, map, stk_test_add(1), NULL);
    APPLY(data, map, stk_test_multiply(2), NULL);
    const char *text = explain(data, STK_PASS_MAP_FUSION);
    EXPECT_CONTAINS("\nafter lower:\n", text);
    EXPECT_CONTAINS("\nafter map_fusion:\n"
                    "range(0, 10, 1)  (0: int64[])  10\n"
                    "fused_map(map add[1], map multiply[2])  (?)  10\n",
                    text);
    expect_lacks("after filter_fusion", explain(data, STK_PASS_ALL));
    stk_dataset_unref(data);
}

STK_TEST(stages_that_change_nothing_are_dropped) /* 75 */
{
    stk_function *identity;
    stk_dataset  *data = RANGE(6);
    EXPECT(stk_function_identity(&identity, NULL) == STK_OK);
    APPLY(data, repeat, 1);
    APPLY(data, take, -1);
    APPLY(data, skip, 0);
    APPLY(data, shard, 1, 0);
    APPLY(data, map, identity, NULL);
    APPLY(data, prefetch, 0);
    APPLY(data, options, (&(stk_pipeline_options){.order = STK_ORDER_EXACT}));
    APPLY(data, map, stk_test_add(1), NULL);
    EXPECT_CONTAINS("after noop:\nrange(0, 6, 1)  (0: int64[])  6\nmap(add[1])",
                    explain(data, STK_PASS_NOOP));
    EXPECT_GIVES("1 2 3 4 5 6 .", data);
    data = RANGE(6);
    APPLY(data, take, 6);
    APPLY(data, skip, 1);
    APPLY(data, shard, 2, 1);
    APPLY(data, map, stk_test_map("identity", count_calls, &(counter){0}, 0), NULL);
    expect_lacks("noop", explain(data, STK_PASS_ALL));
    stk_dataset_unref(data);
    stk_function_unref(identity);
}

STK_TEST(an_identity_map_below_a_batch_still_gives_errors_their_place)
{
    stk_function *identity;
    stk_dataset  *data = RANGE(7);
    EXPECT(stk_function_identity(&identity, NULL) == STK_OK);
    APPLY(data, filter, refuse_number(3));
    APPLY(data, map, identity, NULL);
    APPLY(data, batch, 2, NULL);
    EXPECT_GIVES("[0 1] !invalid_argument [4 5] [6] .", data);
    stk_function_unref(identity);
}

static stk_dataset *shuffled_epochs(void)
{
    stk_dataset *data = RANGE(20);
    APPLY(data, map, stk_test_fail_on(11), NULL);
    APPLY(data, shuffle, 7, NULL);
    APPLY(data, repeat, 3);
    return data;
}

STK_TEST(a_repeated_shuffle_is_one_stage) /* 59, 60 */
{
    stk_dataset *data = shuffled_epochs();
    EXPECT_STR_EQ("shuffle_repeat", stk_pass_name(STK_PASS_SHUFFLE_REPEAT));
    EXPECT_CONTAINS("shuffle_repeat(7, 3", explain(data, STK_PASS_SHUFFLE_REPEAT));
    stk_dataset_unref(data);
    expect_same_with_and_without(shuffled_epochs);
}

static stk_dataset *cached_and_shuffled(void)
{
    stk_dataset *data = RANGE(20);
    APPLY(data, map, stk_test_add(1), NULL);
    APPLY(data, shuffle, 20, NULL);
    APPLY(data, map, random_map(), NULL);
    APPLY(data, repeat, 3);
    return data;
}

STK_TEST(cached_data_is_shuffled_anew_each_epoch)
{
    stk_dataset *data = cached_and_shuffled();
    EXPECT_CONTAINS("fused_map(map add[1])  (?)  20\nauto_cache()  (?)  20\nshuffle(20)",
                    explain(data, STK_PASS_CACHE));
    stk_dataset_unref(data);
    expect_same_with_and_without(cached_and_shuffled);
}

STK_TEST(prefetch_of_nothing_beside_the_consumer_stays)
{
    stk_dataset *data = RANGE(3);
    APPLY(data, prefetch, 0);
    expect_lacks("after", explain(data, STK_PASS_ALL));
    EXPECT_GIVES("0 1 2 .", data);
}

STK_TEST(dropping_a_stage_before_a_batch_keeps_where_errors_go)
{
    stk_dataset *data = RANGE(8);
    APPLY(data, map, stk_test_fail_on(3), NULL);
    APPLY(data, repeat, 1); /* the batch stands over a repeat: an error ends its batch */
    APPLY(data, batch, 2, NULL);
    EXPECT_GIVES("[0 1] !invalid_argument [4 5] [6 7] .", data);
    data = RANGE(8);
    APPLY(data, map, stk_test_fail_on(2), NULL);
    APPLY(data, repeat, 1);
    APPLY(data, batch, 2, NULL);
    EXPECT_GIVES("[0 1] !invalid_argument [3 4] [5 6] [7] .", data);
}

STK_TEST(maps_in_a_row_are_one_stage_with_their_errors_in_place)
{
    stk_dataset *data = RANGE(8);
    APPLY(data, map, stk_test_add(1), NULL);
    APPLY(data, map, stk_test_fail_on(3), NULL);
    APPLY(data, map, stk_test_multiply(10), NULL);
    APPLY(data, map, stk_test_fail_on(60), NULL);
    EXPECT_CONTAINS("fused_map(map add[1], map fail_on[3], map multiply[10], map fail_on[60])",
                    explain(data, STK_PASS_ALL));
    EXPECT_GIVES("10 20 !invalid_argument 40 50 !invalid_argument 70 80 .", data);
}

STK_TEST(the_smaller_bound_on_parallel_calls_holds_for_both)
{
    stk_dataset *data = RANGE(8);
    APPLY(data, map, stk_test_add(1), (&(stk_map_options){.parallel = 4}));
    APPLY(data, map, stk_test_add(1), NULL);
    APPLY(data, map, stk_test_add(1), (&(stk_map_options){.parallel = 3}));
    EXPECT_CONTAINS("map add[1], parallel 3)", explain(data, STK_PASS_MAP_FUSION));
    EXPECT_GIVES("3 4 5 6 7 8 9 10 .", data);
}

STK_TEST(maps_that_are_called_one_at_a_time_stay_alone) /* 76 */
{
    stk_dataset *data = RANGE(4);
    APPLY(data, map, stk_test_add(1), NULL);
    APPLY(data, map, stk_test_add(2), (&(stk_map_options){.parallel = 1}));
    APPLY(data, map, stk_test_add(3), NULL);
    const char *text = explain(data, STK_PASS_ALL);
    expect_lacks("map_fusion", text);
    EXPECT_CONTAINS("map(add[2], parallel 1)", text);
    EXPECT_GIVES("6 7 8 9 .", data);
}

STK_TEST(maps_of_different_order_stay_apart)
{
    stk_dataset *data = RANGE(4);
    APPLY(data, map, stk_test_add(1), (&(stk_map_options){.order = STK_ORDER_EXACT}));
    APPLY(data, map, stk_test_add(2), (&(stk_map_options){.order = STK_ORDER_RELAXED}));
    expect_lacks("map_fusion", explain(data, STK_PASS_ALL));
    stk_dataset_unref(data);
}

STK_TEST(functions_that_wait_are_not_fused_with_those_that_compute)
{
    stk_dataset *data = RANGE(4);
    APPLY(data, map, stk_test_map("wait", add_random, NULL, STK_FUNCTION_BLOCKING), NULL);
    APPLY(data, map, stk_test_add(2), NULL);
    expect_lacks("map_fusion", explain(data, STK_PASS_ALL));
    stk_dataset_unref(data);
}

STK_TEST(filters_in_a_row_are_one_stage)
{
    stk_dataset *data = RANGE(40);
    APPLY(data, filter, stk_test_divides(2));
    APPLY(data, filter, refuse_number(6));
    APPLY(data, filter, stk_test_divides(3));
    EXPECT_CONTAINS("fused_map(filter divides[2], filter refuse, filter divides[3], in order)",
                    explain(data, STK_PASS_ALL));
    EXPECT_GIVES("0 !invalid_argument 12 18 24 30 36 .", data);
}

STK_TEST(maps_and_filters_are_one_stage_with_their_errors_in_place)
{
    stk_dataset *data = RANGE(12);
    APPLY(data, filter, stk_test_divides(2));
    APPLY(data, map, stk_test_fail_on(4), NULL);
    APPLY(data, filter, refuse_number(8));
    APPLY(data, map, stk_test_add(1), NULL);
    APPLY(data, filter, stk_test_divides(1));
    EXPECT_CONTAINS("fused_map(filter divides[2], map fail_on[4], filter refuse, map add[1], "
                    "filter divides[1])",
                    explain(data, STK_PASS_ALL));
    EXPECT_GIVES("1 3 !invalid_argument 7 !invalid_argument 11 .", data);
}

static stk_dataset *random_behind_maps(void)
{
    stk_dataset *data = RANGE(50);
    APPLY(data, map, stk_test_fail_on(7), NULL);
    APPLY(data, map, random_map(), NULL);
    APPLY(data, map, random_map(), NULL);
    APPLY(data, repeat, 2);
    return data;
}

static stk_dataset *random_behind_filters(void)
{
    stk_dataset *data = RANGE(50);
    APPLY(data, map, stk_test_fail_on(6), NULL);
    APPLY(data, filter, stk_test_divides(2));
    APPLY(data, map, random_map(), NULL);
    APPLY(data, filter, stk_test_divides(1));
    APPLY(data, repeat, 3);
    return data;
}

static stk_dataset *random_tests(void)
{
    static const stk_function_info info = {
        .name = "keep_most", .test = keep_most, .traits = STK_FUNCTION_RANDOM};
    stk_function *function;
    stk_dataset  *data = RANGE(50);
    EXPECT(stk_function_new(&function, &info, NULL) == STK_OK);
    APPLY(data, map, stk_test_fail_on(6), NULL);
    APPLY(data, filter, function);
    APPLY(data, filter, stk_test_divides(3));
    APPLY(data, filter, function);
    stk_function_unref(function);
    return data;
}

STK_TEST(random_numbers_are_the_same_fused_or_not)
{
    stk_test_watchdog(60);
    stk_dataset *data = random_behind_maps();
    EXPECT_CONTAINS("fused_map(map fail_on[7], map add_random, map add_random)",
                    explain(data, STK_PASS_MAP_FUSION));
    stk_dataset_unref(data);
    expect_same_with_and_without(random_behind_maps);
    expect_same_with_and_without(random_behind_filters);
    expect_same_with_and_without(random_tests);
}

STK_TEST(elements_are_computed_for_their_batch)
{
    stk_dataset *data = RANGE(10);
    APPLY(data, map, stk_test_add(1), NULL);
    APPLY(data, map, stk_test_fail_on(5), NULL);
    APPLY(data, batch, 3, NULL);
    EXPECT_CONTAINS("fused_map(map add[1], map fail_on[5], batch 3)", explain(data, STK_PASS_ALL));
    EXPECT_INT_EQ(4, stk_dataset_cardinality(data));
    EXPECT_GIVES("[1 2 3] !invalid_argument [7 8 9] [10] .", data);
    data = RANGE(10);
    APPLY(data, map, stk_test_fail_on(9), NULL);
    APPLY(data, batch, 4, (&(stk_batch_options){.drop_remainder = true}));
    EXPECT_GIVES("[0 1 2 3] [4 5 6 7] !invalid_argument .", data);
}

STK_TEST(a_batch_over_a_filtered_map_stays_a_stage)
{
    stk_dataset *data = RANGE(10);
    APPLY(data, filter, stk_test_divides(2));
    APPLY(data, map, stk_test_fail_on(4), NULL);
    APPLY(data, batch, 2, NULL);
    expect_lacks("map_batch", explain(data, STK_PASS_ALL));
    EXPECT_GIVES("[0 2] !invalid_argument [8] .", data);
}

static stk_dataset *large_batches_with_errors(void)
{
    stk_dataset *data = RANGE(450);
    APPLY(data, map, stk_test_add(1), (&(stk_map_options){.parallel = 1}));
    APPLY(data, filter, refuse_number(150));
    APPLY(data, filter, refuse_number(251));
    APPLY(data, batch, 100, (&(stk_batch_options){.drop_remainder = true}));
    return data;
}

STK_TEST(an_error_ends_a_batch_that_does_not_stand_over_a_map)
{
    stk_dataset *data = RANGE(8);
    APPLY(data, filter, refuse_number(4));
    APPLY(data, batch, 3, NULL);
    EXPECT_GIVES("[0 1 2] !invalid_argument [5 6 7] .", data);
    data = RANGE(8);
    APPLY(data, filter, refuse_number(4));
    APPLY(data, batch, INT64_MAX, NULL);
    EXPECT_CONTAINS("fused_map(batch 9223372036854775807, parallel copy, in order)",
                    explain(data, STK_PASS_PARALLEL_BATCH));
    EXPECT_GIVES("!invalid_argument [5 6 7] .", data);
    data = large_batches_with_errors();
    EXPECT_CONTAINS("fused_map(batch 100 drop, parallel copy",
                    explain(data, STK_PASS_PARALLEL_BATCH));
    stk_dataset_unref(data);
    expect_same_with_and_without(large_batches_with_errors);
}

STK_TEST(small_batches_are_not_handed_over_one_by_one)
{
    stk_dataset *data = RANGE(10000);
    APPLY(data, batch, 1000, NULL);
    expect_lacks("parallel_batch", explain(data, STK_PASS_ALL));
    stk_dataset_unref(data);
    data = RANGE(10000);
    APPLY(data, batch, 8192, NULL);
    EXPECT_CONTAINS("after parallel_batch", explain(data, STK_PASS_ALL));
    stk_dataset_unref(data);
}

STK_TEST(a_batch_of_any_size_holds_what_there_is) /* 26 */
{
    stk_dataset *data = RANGE(5);
    APPLY(data, batch, INT64_MAX, NULL);
    EXPECT_GIVES("[0 1 2 3 4] .", data);
    data = RANGE(5);
    APPLY(data, map, stk_test_add(1), NULL);
    APPLY(data, batch, INT64_MAX, NULL);
    EXPECT_GIVES("[1 2 3 4 5] .", data);
}

enum { WIDE = 9001 };

/* x -> a vector of x, x + 1, ... and x itself. */
static stk_status widen(void *context, const stk_call *call, stk_element **element, stk_error *err)
{
    (void)context;
    const int64_t   number = stk_test_number(*element);
    const stk_shape shape = stk_shape_1d(WIDE);
    stk_element    *wide;
    void           *data;
    STK_TRY(stk_element_new(&wide, 2, err));
    stk_status st =
        stk_value_dense(stk_element_edit(wide, 0), call->ledger, STK_DTYPE_I64, &shape, &data, err);
    for (int64_t i = 0; !st && i < WIDE; i++)
        ((int64_t *)data)[i] = number + i;
    stk_value_i64(stk_element_edit(wide, 1), number);
    stk_element_unref(*element);
    *element = wide;
    return st;
}

static void expect_wide_batch(const stk_element *batch, int64_t first, int64_t rows)
{
    const int64_t *wide = stk_value_data(stk_element_value(batch, 0));
    const int64_t *narrow = stk_value_data(stk_element_value(batch, 1));
    EXPECT_INT_EQ(rows, stk_element_value(batch, 0)->shape.dim[0]);
    for (int64_t row = 0; row < rows; row++) {
        EXPECT_INT_EQ(first + row, narrow[row]);
        for (int64_t i = 0; i < WIDE; i++)
            if (wide[row * WIDE + i] != first + row + i) fail_msg("row %d is wrong", (int)row);
    }
}

static void run_wide(bool alone, int threads, unsigned off)
{
    stk_iterator *it;
    stk_element  *batch;
    stk_dataset  *data = RANGE(100);
    APPLY(data, map, stk_test_map("widen", widen, NULL, 0), NULL);
    if (alone) APPLY(data, prefetch, 2);
    APPLY(data, batch, 40, NULL);
    stk_error                  err;
    const stk_iterator_options options = {.threads = threads, .passes_off = off};
    EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
    for (int64_t i = 0; i < 3; i++) {
        EXPECT_OK(stk_iterator_next(it, &batch, &err));
        expect_wide_batch(batch, i * 40, i < 2 ? 40 : 20);
        stk_element_unref(batch);
    }
    EXPECT_OK(stk_iterator_next(it, &batch, &err));
    assert_null(batch);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

STK_TEST(large_batches_are_the_same_however_they_are_copied) /* 78 */
{
    static const int threads[] = {1, 2, 8};
    stk_test_watchdog(60);
    for (size_t i = 0; i < COUNT_OF(threads); i++)
        for (int alone = 0; alone < 2; alone++) {
            run_wide(alone, threads[i], 0);
            run_wide(alone, threads[i], STK_PASS_PARALLEL_BATCH);
        }
}

STK_TEST(an_iterator_may_be_freed_while_batches_are_copied)
{
    stk_test_watchdog(60);
    for (int i = 0; i < 20; i++) {
        stk_iterator *it;
        stk_element  *batch;
        stk_dataset  *data = RANGE(1000);
        APPLY(data, map, stk_test_map("widen", widen, NULL, 0), NULL);
        APPLY(data, batch, 20, NULL);
        stk_error err;
        EXPECT_OK(stk_iterator_start(&it, data, &(stk_iterator_options){.threads = 4}, &err));
        EXPECT_OK(stk_iterator_next(it, &batch, &err));
        stk_iterator_free(it);
        expect_wide_batch(batch, 0, 20);
        stk_element_unref(batch);
        stk_dataset_unref(data);
    }
}

STK_TEST(the_last_stage_runs_ahead)
{
    stk_dataset *data = RANGE(3);
    APPLY(data, repeat, 2);
    EXPECT_CONTAINS("repeat(2)  (0: int64[])  6\nprefetch(auto)", explain(data, STK_PASS_ALL));
    EXPECT_GIVES("0 1 2 0 1 2 .", data);
    data = RANGE(3);
    APPLY(data, map, stk_test_add(1), NULL);
    expect_lacks("prefetch", explain(data, STK_PASS_ALL));
    stk_dataset_unref(data);
}

STK_TEST(a_tuned_prefetch_over_a_stage_that_runs_ahead_is_dropped)
{
    stk_dataset *data = RANGE(6);
    APPLY(data, map, stk_test_add(0), NULL);
    APPLY(data, batch, 2, NULL);
    APPLY(data, prefetch, STK_AUTO);
    EXPECT_CONTAINS(
        "after prefetch:\nrange(0, 6, 1)  (0: int64[])  6\nfused_map(map add[0], batch 2",
        explain(data, STK_PASS_MAP_BATCH | STK_PASS_PREFETCH));
    EXPECT_GIVES("[0 1] [2 3] [4 5] .", data);
    data = RANGE(6);
    APPLY(data, batch, 2, NULL);
    APPLY(data, prefetch, 3); /* a number is a wish */
    expect_lacks("after prefetch", explain(data, STK_PASS_ALL));
    EXPECT_GIVES("[0 1] [2 3] [4 5] .", data);
}

static stk_status read_number(void *context, const stk_call *call, uint64_t index,
                              stk_element **out, stk_error *err)
{
    (void)context;
    (void)call;
    STK_TRY(stk_element_new(out, 1, err));
    stk_value_i64(stk_element_edit(*out, 0), (int64_t)index);
    return STK_OK;
}

static stk_dataset *waiting_source(bool blocking)
{
    const stk_indexed_info info = {
        .name = "waits", .count = 3, .blocking = blocking, .read = read_number};
    stk_error    err;
    stk_dataset *data;
    EXPECT_OK(stk_dataset_indexed(&data, &info, &err));
    return data;
}

STK_TEST(a_source_that_waits_runs_ahead_by_itself)
{
    stk_dataset *data = waiting_source(true);
    APPLY(data, batch, 2, NULL);
    EXPECT_CONTAINS("3\nprefetch(auto)  ", explain(data, STK_PASS_IO_PREFETCH));
    EXPECT_GIVES("[0 1] [2] .", data);
    data = waiting_source(true);
    APPLY(data, prefetch, 2);
    expect_lacks("after", explain(data, STK_PASS_ALL));
    EXPECT_GIVES("0 1 2 .", data);
    data = waiting_source(false);
    expect_lacks("after io_prefetch", explain(data, STK_PASS_IO_PREFETCH));
    stk_dataset_unref(data);
}

/* The automatic cache. */

STK_TEST(an_error_after_the_last_element_comes_in_every_epoch)
{
    stk_dataset *data = RANGE(4);
    APPLY(data, map, stk_test_fail_on(3), NULL);
    APPLY(data, shard, 4, 2); /* one element; then the error of one that is passed over */
    APPLY(data, repeat, 3);
    EXPECT_GIVES("2 !invalid_argument 2 !invalid_argument 2 !invalid_argument .", data);
}

STK_TEST(data_that_is_repeated_is_computed_once)
{
    counter              calls = {0};
    stk_iterator_options options = {.threads = 2};
    stk_dataset         *data = RANGE(10);
    APPLY(data, map, stk_test_map("count", count_calls, &calls, 0), NULL);
    APPLY(data, batch, 4, NULL);
    APPLY(data, repeat, 3);
    const char *text = explain(data, STK_PASS_ALL);
    EXPECT_CONTAINS("auto_cache()", text);
    for (int i = 0; i < 2; i++) {
        EXPECT_STR_EQ("[0 1 2 3] [4 5 6 7] [8 9] [0 1 2 3] [4 5 6 7] [8 9] [0 1 2 3] [4 5 6 7] "
                      "[8 9] .",
                      stk_test_run(data, &options, 0));
        EXPECT_INT_EQ(i ? 40 : 10, calls.calls);
        options.passes_off = STK_PASS_CACHE;
    }
    stk_dataset_unref(data);
}

STK_TEST(the_cache_stands_before_the_first_stage_that_is_random)
{
    stk_dataset *data = RANGE(10);
    APPLY(data, map, stk_test_add(1), NULL);
    APPLY(data, map, random_map(), NULL);
    APPLY(data, repeat, 2);
    EXPECT_CONTAINS("fused_map(map add[1])  (?)  10\n"
                    "auto_cache()  (?)  10\n"
                    "fused_map(map add_random)  (?)  10\n",
                    explain(data, STK_PASS_CACHE));
    stk_dataset_unref(data);
}

STK_TEST(nothing_is_cached_that_is_cheap_or_not_repeated_or_without_a_known_number)
{
    stk_dataset *cheap = RANGE(10);
    APPLY(cheap, batch, 2, NULL);
    APPLY(cheap, repeat, 2);
    expect_lacks("auto_cache", explain(cheap, STK_PASS_ALL));
    stk_dataset_unref(cheap);
    stk_dataset *once = RANGE(10);
    APPLY(once, map, stk_test_add(1), NULL);
    expect_lacks("auto_cache", explain(once, STK_PASS_ALL));
    stk_dataset_unref(once);
    stk_dataset *stateful = RANGE(10);
    APPLY(stateful, map, stk_test_map("state", count_calls, NULL, STK_FUNCTION_STATEFUL), NULL);
    APPLY(stateful, repeat, 2);
    expect_lacks("auto_cache", explain(stateful, STK_PASS_ALL));
    stk_dataset_unref(stateful);
    stk_dataset *filtered = RANGE(10);
    APPLY(filtered, filter, stk_test_divides(2));
    APPLY(filtered, map, stk_test_add(1), NULL);
    APPLY(filtered, repeat, 2);
    expect_lacks("auto_cache", explain(filtered, STK_PASS_ALL));
    stk_dataset_unref(filtered);
}

STK_TEST(cached_data_has_the_same_checkpoints_and_errors)
{
    stk_test_watchdog(100);
    stk_dataset *data = RANGE(5);
    APPLY(data, map, stk_test_add(1), NULL);
    APPLY(data, repeat, 4);
    EXPECT_GIVES("1 2 3 4 5 1 2 3 4 5 1 2 3 4 5 1 2 3 4 5 .", data);
    data = RANGE(5);
    APPLY(data, map, stk_test_fail_on(3), NULL);
    APPLY(data, repeat, 3);
    EXPECT_GIVES("0 1 2 !invalid_argument 4 0 1 2 !invalid_argument 4 0 1 2 !invalid_argument 4 .",
                 data);
    data = RANGE(4);
    APPLY(data, map, stk_test_add(1), NULL);
    APPLY(data, repeat, 2);
    APPLY(data, batch, 3, NULL);
    APPLY(data, repeat, 2);
    EXPECT_GIVES("[1 2 3] [4 1 2] [3 4] [1 2 3] [4 1 2] [3 4] .", data);
}

STK_TEST(cached_elements_say_which_epoch_they_are_of)
{
    stk_iterator *it;
    stk_element  *element;
    stk_dataset  *data = RANGE(3);
    APPLY(data, map, stk_test_add(1), NULL);
    APPLY(data, repeat, 3);
    stk_error err;
    EXPECT_OK(stk_iterator_start(&it, data, &(stk_iterator_options){.threads = 2}, &err));
    for (uint64_t i = 0; i < 9; i++) {
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        EXPECT_INT_EQ(i / 3, stk_element_origin(element)->epoch);
        EXPECT_INT_EQ(i % 3, stk_element_origin(element)->index);
        stk_element_unref(element);
    }
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

static void keep_line(void *context, const char *line)
{
    snprintf(context, 256, "%s", line);
}

STK_TEST(the_cache_gives_up_where_memory_is_short_and_says_so)
{
    char                 line[256] = "";
    stk_iterator        *it;
    stk_element         *element;
    stk_dataset         *data = RANGE(300); /* of 72 KB each */
    stk_iterator_options options = {.threads = 2,
                                    .memory_bytes = 16000000,
                                    .no_autotune = true,
                                    .log = keep_line,
                                    .log_context = line};
    stk_test_watchdog(60);
    APPLY(data, map, stk_test_map("widen", widen, NULL, 0), NULL);
    APPLY(data, repeat, 3);
    stk_error err;
    EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
    for (int64_t i = 0; i < 900; i++) {
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        EXPECT_INT_EQ(i % 300, *(const int64_t *)stk_value_data(stk_element_value(element, 1)));
        stk_element_unref(element);
    }
    stk_iterator_report report;
    stk_iterator_read_report(it, &report);
    EXPECT(report.memory.peak_bytes <= 16000000);
    stk_iterator_free(it);
    stk_dataset_unref(data);
    EXPECT_CONTAINS("auto_cache: gave up after ", line);
    EXPECT_CONTAINS("of 300 elements: half of the memory is in use", line);
}

STK_TEST(the_cache_makes_room_when_memory_is_wanted_elsewhere)
{
    char                 line[256] = "";
    stk_iterator        *it;
    stk_element         *element;
    stk_dataset         *data = RANGE(60); /* of 72 KB each */
    stk_iterator_options options = {.threads = 1,
                                    .memory_bytes = 16000000,
                                    .no_autotune = true,
                                    .log = keep_line,
                                    .log_context = line};
    stk_ledger          *ledger;
    APPLY(data, map, stk_test_map("widen", widen, NULL, 0), NULL);
    APPLY(data, repeat, 3);
    stk_error err;
    EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
    ledger = stk_iterator_ledger(it);
    for (int64_t i = 0; i < 180; i++) {
        if (i == 90) EXPECT_OK(stk_ledger_reserve(ledger, STK_MEMORY_SHUFFLE, 9800000, &err));
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        EXPECT_INT_EQ(i % 60, *(const int64_t *)stk_value_data(stk_element_value(element, 1)));
        stk_element_unref(element);
    }
    stk_ledger_release(ledger, STK_MEMORY_SHUFFLE, 9800000);
    stk_iterator_free(it);
    stk_dataset_unref(data);
    EXPECT_CONTAINS("auto_cache: dropped 60 elements: memory is wanted elsewhere", line);
}

static stk_status explain_once(void *context, stk_error *err)
{
    stk_blob text;
    stk_blob_init(&text, NULL, STK_MEMORY_INDEX);
    stk_status st = stk_dataset_explain(context, STK_PASS_ALL, &text, err);
    if (st) assert_true(text.size == 0);
    stk_blob_release(&text);
    return st;
}

STK_TEST(passes_survive_every_failed_allocation)
{
    stk_dataset *data = RANGE(10);
    APPLY(data, map, stk_test_add(1), NULL);
    APPLY(data, map, stk_test_add(2), NULL);
    APPLY(data, map, random_map(), NULL);
    APPLY(data, filter, stk_test_divides(2));
    APPLY(data, filter, stk_test_divides(3));
    APPLY(data, batch, 2, NULL);
    APPLY(data, repeat, 2);
    stk_test_fail_each_allocation(explain_once, data);
    stk_dataset_unref(data);
}
