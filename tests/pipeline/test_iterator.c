#include "failing_alloc.h"
#include "pipeline_support.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

/* Threads of this process, from /proc. */
static int threads_alive(void)
{
    char  line[256];
    int   threads = -1;
    FILE *status = fopen("/proc/self/status", "r");
    assert_non_null(status);
    while (fgets(line, sizeof line, status))
        if (sscanf(line, "Threads: %d", &threads) == 1) break;
    fclose(status);
    return threads;
}

/* A joined thread may still be on the kernel's list for a moment. */
static void expect_threads(int count)
{
    for (int i = 0; i < 1000 && threads_alive() != count; i++)
        usleep(1000);
    EXPECT_INT_EQ(count, threads_alive());
}

static stk_dataset *busy_pipeline(void)
{
    stk_dataset *data = RANGE(100000);
    APPLY(data, map, stk_test_add(1), NULL);
    APPLY(data, filter, stk_test_divides(2));
    APPLY(data, map, stk_test_multiply(2), NULL);
    APPLY(data, batch, 16, NULL);
    APPLY(data, repeat, -1);
    APPLY(data, prefetch, STK_AUTO);
    return data;
}

STK_TEST(an_iterator_that_is_freed_early_leaves_no_thread)
{
    stk_test_watchdog(120);
    int before = 0;
    for (int i = 0; i < 50; i++) {
        stk_dataset  *data = busy_pipeline();
        stk_iterator *it;
        stk_error     err;
        EXPECT_OK(
            stk_iterator_start(&it, data, &(stk_iterator_options){.threads = 1 + i % 8}, &err));
        for (int k = 0; k < i; k++) {
            stk_element *element;
            EXPECT_OK(stk_iterator_next(it, &element, &err));
            stk_element_unref(element);
        }
        stk_iterator_free(it);
        stk_dataset_unref(data);
        /* The first run may start threads that belong to the sanitizer. */
        if (i == 8) {
            usleep(50000);
            before = threads_alive();
        }
    }
    expect_threads(before);
}

STK_TEST(a_checkpoint_of_another_pipeline_is_refused_and_changes_nothing)
{
    stk_dataset  *one = RANGE(10), *other = RANGE(11);
    stk_iterator *a, *b;
    stk_element  *element;
    stk_error     err;
    stk_blob      saved;
    stk_blob_init(&saved, NULL, STK_MEMORY_INDEX);
    EXPECT_OK(stk_iterator_start(&a, one, NULL, &err));
    EXPECT_OK(stk_iterator_start(&b, other, NULL, &err));
    EXPECT_OK(stk_iterator_save(a, &saved, &err));
    EXPECT_OK(stk_iterator_next(b, &element, &err));
    stk_element_unref(element);
    EXPECT_STATUS(STK_E_INVALID, stk_iterator_restore(b, stk_blob_bytes(&saved), &err));
    EXPECT_CONTAINS("of another pipeline", err.message);
    EXPECT_OK(stk_iterator_next(b, &element, &err));
    EXPECT_INT_EQ(1, stk_test_number(element));
    stk_element_unref(element);
    stk_blob_release(&saved);
    stk_iterator_free(a);
    stk_iterator_free(b);
    stk_dataset_unref(one);
    stk_dataset_unref(other);
}

STK_TEST(every_damaged_byte_of_a_checkpoint_is_noticed)
{
    stk_test_watchdog(120);
    stk_dataset  *data = busy_pipeline();
    stk_iterator *it;
    stk_element  *element;
    stk_error     err;
    stk_blob      saved;
    stk_blob_init(&saved, NULL, STK_MEMORY_INDEX);
    EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
    EXPECT_OK(stk_iterator_next(it, &element, &err));
    stk_element_unref(element);
    EXPECT_OK(stk_iterator_save(it, &saved, &err));
    for (size_t i = 0; i < saved.size; i++) {
        saved.data[i] ^= 0x41;
        EXPECT_STATUS(STK_E_DATALOSS, stk_iterator_restore(it, stk_blob_bytes(&saved), &err));
        saved.data[i] ^= 0x41;
        EXPECT_STATUS(STK_E_DATALOSS, stk_iterator_restore(it, stk_bytes_of(saved.data, i), &err));
    }
    EXPECT_OK(stk_iterator_restore(it, stk_blob_bytes(&saved), &err));
    stk_blob_release(&saved);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

static void *cancel_soon(void *token)
{
    usleep(30000);
    stk_cancel_request(token);
    return NULL;
}

static stk_status sleep_long(void *context, const stk_call *call, stk_element **element,
                             stk_error *err)
{
    (void)context;
    (void)element;
    for (int i = 0; i < 1000; i++) {
        STK_TRY(stk_cancel_check(call->cancel, "sleep", err));
        usleep(1000);
    }
    return STK_OK;
}

STK_TEST(cancelling_ends_a_wait_for_slow_functions)
{
    stk_test_watchdog(60);
    stk_dataset *data = RANGE(100);
    APPLY(data, map, stk_test_map("sleep", sleep_long, NULL, 0), NULL);
    APPLY(data, batch, 10, NULL);
    stk_cancel    cancel = STK_CANCEL_INIT;
    stk_iterator *it;
    stk_element  *element;
    stk_error     err;
    pthread_t     thread;
    EXPECT_OK(stk_iterator_start(&it, data,
                                 &(stk_iterator_options){.threads = 3, .cancel = &cancel}, &err));
    EXPECT_INT_EQ(0, pthread_create(&thread, NULL, cancel_soon, &cancel));
    EXPECT_STATUS(STK_E_CANCELLED, stk_iterator_next(it, &element, &err));
    pthread_join(thread, NULL);
    EXPECT_STATUS(STK_E_CANCELLED, stk_iterator_next(it, &element, &err));
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

static stk_status grow(void *context, const stk_call *call, stk_element **element, stk_error *err)
{
    (void)context;
    const stk_shape shape = stk_shape_1d(100000);
    void           *data;
    stk_value       value;
    STK_TRY(stk_element_make_unique(element, err));
    STK_TRY(stk_value_dense(&value, call->ledger, STK_DTYPE_U8, &shape, &data, err));
    memset(data, 1, 100000);
    stk_value_release(stk_element_edit(*element, 0));
    *stk_element_edit(*element, 0) = value;
    return STK_OK;
}

STK_TEST(memory_stays_below_the_ceiling_and_everything_comes_through)
{
    stk_test_watchdog(120);
    stk_dataset *data = RANGE(2000);
    APPLY(data, map, stk_test_map("grow", grow, NULL, 0), NULL);
    APPLY(data, batch, 8, NULL);
    APPLY(data, prefetch, 1000);
    stk_iterator *it;
    stk_element  *element;
    stk_error     err;
    EXPECT_OK(stk_iterator_start(
        &it, data, &(stk_iterator_options){.threads = 4, .memory_bytes = 12000000}, &err));
    usleep(100000);
    for (int i = 0; i < 250; i++) {
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        EXPECT_INT_EQ(8, stk_element_value(element, 0)->shape.dim[0]);
        stk_element_unref(element);
        if (i == 10) usleep(100000); /* time to run far ahead */
    }
    stk_ledger_report report;
    stk_ledger_read(stk_iterator_ledger(it), &report);
    EXPECT(report.peak_bytes <= 12000000);
    EXPECT(report.peak_bytes > 1000000);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

static stk_status use_random(void *context, const stk_call *call, stk_element **element,
                             stk_error *err)
{
    (void)context;
    STK_TRY(stk_element_make_unique(element, err));
    stk_value_i64(stk_element_edit(*element, 0), (int64_t)stk_call_below(call, 0, 0, 1000));
    return STK_OK;
}

STK_TEST(random_numbers_depend_on_seed_epoch_and_place_only)
{
    stk_dataset *data = RANGE(8);
    APPLY(data, map, stk_test_map("random", use_random, NULL, STK_FUNCTION_RANDOM), NULL);
    APPLY(data, repeat, 2);
    const stk_iterator_options one = {.threads = 1, .seed = 5}, four = {.threads = 4, .seed = 5};
    /* Every iterator over one dataset is another pass, so the dataset is made anew. */
    stk_dataset *again = RANGE(8);
    APPLY(again, map, stk_test_map("random", use_random, NULL, STK_FUNCTION_RANDOM), NULL);
    APPLY(again, repeat, 2);
    const char *first = stk_test_run(data, &one, 0);
    EXPECT_STR_EQ(first, stk_test_run(again, &four, 0));
    const char *second = stk_test_run(data, &one, 0);
    EXPECT(strcmp(first, second) != 0);
    EXPECT_STR_EQ(second, stk_test_run(again, &four, 0));
    EXPECT(strcmp(first, stk_test_run(data, &(stk_iterator_options){.seed = 6}, 0)) != 0);
    stk_dataset_unref(data);
    stk_dataset_unref(again);
}

STK_TEST(absurd_options_are_refused)
{
    stk_dataset  *data = RANGE(1);
    stk_iterator *it;
    stk_error     err;
    EXPECT_STATUS(STK_E_INVALID,
                  stk_iterator_start(&it, data, &(stk_iterator_options){.threads = -1}, &err));
    EXPECT_CONTAINS("-1 threads", err.message);
    stk_dataset_unref(data);
}

static stk_status run_once(void *context, stk_error *err)
{
    (void)context;
    stk_dataset  *data = NULL;
    stk_iterator *it = NULL;
    stk_status    st = stk_dataset_range(&data, 0, 7, 1, err);
    if (!st) st = stk_dataset_batch(&data, 3, NULL, err);
    if (!st) st = stk_dataset_prefetch(&data, 2, err);
    if (!st) st = stk_iterator_start(&it, data, &(stk_iterator_options){.threads = 1}, err);
    for (stk_element *element = NULL; !st; stk_element_unref(element)) {
        st = stk_iterator_next(it, &element, err);
        if (!st && !element) break;
    }
    stk_blob saved;
    stk_blob_init(&saved, NULL, STK_MEMORY_INDEX);
    if (!st) st = stk_iterator_save(it, &saved, err);
    if (!st) st = stk_iterator_restore(it, stk_blob_bytes(&saved), err);
    stk_blob_release(&saved);
    stk_iterator_free(it);
    stk_dataset_unref(data);
    return st;
}

/* A place that could not be noted for a later checkpoint does not stop the run, so a run may
 * succeed although an allocation failed; what counts is that nothing breaks and nothing leaks. */
STK_TEST(a_failing_allocation_breaks_and_leaks_nothing)
{
    stk_test_watchdog(120);
    stk_error err;
    EXPECT_OK(run_once(NULL, &err));
    for (int64_t after = 0;; after++) {
        const int64_t before = stk_alloc_live();
        stk_alloc_fail_after(after);
        stk_status st = run_once(NULL, &err);
        const bool failed = stk_alloc_fail_stop();
        EXPECT_INT_EQ(before, stk_alloc_live());
        if (!failed) break;
        EXPECT(st == STK_OK || st == STK_E_NOMEM);
    }
}

STK_TEST(spans_of_the_stages_are_in_the_trace)
{
    stk_trace    *trace;
    stk_iterator *it;
    stk_error     err;
    stk_blob      json;
    stk_dataset  *data = RANGE(1000);
    APPLY(data, map, stk_test_add(1), NULL);
    APPLY(data, batch, 10, NULL);
    EXPECT_OK(stk_trace_new(&trace, NULL, &err));
    EXPECT_OK(
        stk_iterator_start(&it, data, &(stk_iterator_options){.threads = 2, .trace = trace}, &err));
    for (bool more = true; more;) {
        stk_element *element;
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        more = element != NULL;
        stk_element_unref(element);
    }
    stk_iterator_free(it);
    stk_blob_init(&json, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_trace_dump(trace, &json, &err));
    EXPECT_OK(stk_blob_append(&json, "", 1, &err));
    EXPECT_CONTAINS("\"fused_map\"", (const char *)json.data);
    EXPECT_CONTAINS("\"range\"", (const char *)json.data);
    stk_blob_release(&json);
    stk_trace_free(trace);
    stk_dataset_unref(data);
}

STK_TEST(a_batch_that_cannot_fit_is_an_error_before_it_is_memory)
{
    stk_test_watchdog(120);
    stk_dataset *data = RANGE(100000000);
    APPLY(data, map, stk_test_add(1), NULL);
    APPLY(data, batch, INT64_MAX, NULL);
    for (int passes = 0; passes < 2; passes++) {
        stk_iterator *it;
        stk_element  *element;
        stk_error     err;
        EXPECT_OK(stk_iterator_start(
            &it, data,
            &(stk_iterator_options){
                .threads = 2, .memory_bytes = 8000000, .passes_off = passes ? STK_PASS_ALL : 0},
            &err));
        EXPECT_STATUS(STK_E_CEILING, stk_iterator_next(it, &element, &err));
        EXPECT_CONTAINS("raise the memory ceiling", err.message);
        stk_iterator_free(it);
    }
    stk_dataset_unref(data);
}

static stk_dataset *random_pipeline(void)
{
    stk_dataset  *data = RANGE(10);
    stk_function *uniform;
    stk_error     err;
    EXPECT_OK(stk_function_random_uniform(&uniform, 0, 1, &err));
    APPLY(data, repeat, -1);
    APPLY(data, map, uniform, NULL);
    stk_function_unref(uniform);
    return data;
}

STK_TEST(what_comes_after_a_skip_is_as_if_nothing_had_been_skipped)
{
    for (uint64_t count = 0; count < 40; count += 3) {
        stk_dataset               *one = random_pipeline(), *other = random_pipeline();
        const stk_iterator_options options = {.seed = 5, .passes_off = STK_PASS_PREFETCH};
        stk_iterator              *a, *b;
        stk_element               *x = NULL, *y;
        stk_error                  err;
        uint64_t                   skipped;
        EXPECT_OK(stk_iterator_start(&a, one, &options, &err));
        EXPECT_OK(stk_iterator_start(&b, other, &options, &err));
        for (uint64_t i = 0; i <= count; i++) {
            stk_element_unref(x);
            EXPECT_OK(stk_iterator_next(a, &x, &err));
        }
        EXPECT_OK(stk_iterator_skip(b, count, &skipped, &err));
        EXPECT_INT_EQ(count, skipped);
        EXPECT_OK(stk_iterator_next(b, &y, &err));
        EXPECT(stk_element_equal(x, y));
        /* What runs ahead already is passed over, too. */
        stk_element_unref(x);
        stk_element_unref(y);
        EXPECT_OK(stk_iterator_skip(a, 5, &skipped, &err));
        EXPECT_OK(stk_iterator_skip(b, 5, &skipped, &err));
        EXPECT_OK(stk_iterator_next(a, &x, &err));
        EXPECT_OK(stk_iterator_next(b, &y, &err));
        EXPECT(stk_element_equal(x, y));
        stk_element_unref(x);
        stk_element_unref(y);
        stk_iterator_free(a);
        stk_iterator_free(b);
        stk_dataset_unref(one);
        stk_dataset_unref(other);
    }
}

STK_TEST(errors_that_a_skip_passes_over_are_counted_and_the_first_is_kept)
{
    stk_dataset  *data = RANGE(10);
    stk_iterator *it;
    stk_element  *element;
    stk_error     err, first;
    uint64_t      skipped;
    APPLY(data, map, stk_test_fail_on(3), NULL);
    APPLY(data, filter, stk_test_divides(1));
    APPLY(data, map, stk_test_fail_on(6), NULL);
    APPLY(data, filter, stk_test_divides(1));
    EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
    EXPECT_OK(stk_iterator_skip(it, 3, &skipped, &err));
    EXPECT_INT_EQ(0, stk_iterator_passed_errors(it, &first));
    const stk_status st = stk_iterator_next(it, &element, &err);
    EXPECT(st != STK_OK);
    EXPECT_INT_EQ(0, stk_iterator_passed_errors(it, &first)); /* that one was given */
    EXPECT_OK(stk_iterator_skip(it, 4, &skipped, &err));
    EXPECT_INT_EQ(4, skipped);
    EXPECT_INT_EQ(1, stk_iterator_passed_errors(it, &first));
    EXPECT_INT_EQ(st, first.status);
    EXPECT_STR_EQ(err.component, first.component);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

STK_TEST(skipping_stops_at_the_end)
{
    stk_dataset  *data = RANGE(10);
    stk_iterator *it;
    stk_element  *element;
    stk_error     err;
    uint64_t      skipped;
    EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
    EXPECT_OK(stk_iterator_skip(it, 100, &skipped, &err));
    EXPECT_INT_EQ(10, skipped);
    EXPECT_OK(stk_iterator_next(it, &element, &err));
    assert_null(element);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}
