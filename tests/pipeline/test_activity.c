/* What the threads of a run do, and how the time of a consumer is told apart by it. */
#include "base/clock.h"
#include "file_support.h"
#include "pipeline/runtime/thread_activity.h"
#include "storage/slow_filesystem.h"

#include <stoker/dataset_sources.h>
#include <stoker/functions.h>

STK_TEST(computing_goes_before_waiting_and_both_nest)
{
    stk_thread_activity a, other;
    uint64_t            compute, read_only, again;
    stk_thread_activity_init(&a, NULL);
    stk_thread_activity_init(&other, NULL);
    const stk_thread_state_before outside = stk_thread_activity_enter(&a, STK_DOING_COMPUTE);
    usleep(2000);
    stk_thread_activity_begin_wait(&a);
    usleep(3000);
    stk_thread_activity_end_wait(&a);
    const stk_thread_state_before inside = stk_thread_activity_enter(&other, STK_DOING_READ);
    usleep(1000);
    stk_thread_activity_leave(&other, inside);
    stk_thread_activity_leave(&a, outside);
    stk_thread_activity_read(&a, &compute, &read_only);
    EXPECT(compute >= 3000000);
    EXPECT(read_only >= 3000000 && read_only < compute + 50000000);
    EXPECT(a.wait_ns >= 3000000 && stk_thread_activity_waited_ns() >= a.wait_ns);
    usleep(1000);
    stk_thread_activity_read(&a, &again, &read_only);
    EXPECT(again == compute);
    stk_thread_activity_read(&other, &compute, &read_only);
    EXPECT(compute == 0 && read_only >= 1000000);
    EXPECT_INT_EQ(0, a.counts + other.counts);
    stk_thread_activity_release(&a);
    stk_thread_activity_release(&other);
}

/* Burns its time, as a decoder does. */
static stk_status burn(void *us, const stk_call *call, stk_element **element, stk_error *err)
{
    (void)call, (void)element, (void)err;
    const uint64_t end = stk_clock_ns() + 1000 * (uint64_t)(uintptr_t)us;
    while (stk_clock_ns() < end) {
    }
    return STK_OK;
}

static stk_dataset *slow_records(slow_filesystem *slow, const char *path)
{
    stk_error    err;
    stk_dataset *data;
    EXPECT_OK(stk_dataset_tfrecord_files(&data, &slow->fs, &path, 1, NULL, &err));
    return data;
}

/* Draws count batches; gives the time in next, and what of it was what. */
static uint64_t draw(stk_dataset *data, int threads, int count, stk_iterator_times *spent)
{
    const stk_iterator_options options = {.threads = threads, .seed = 7, .no_autotune = true};
    stk_error                  err;
    stk_iterator              *it;
    uint64_t                   waited = 0, read_only = 0, compute = 0;
    EXPECT_OK(stk_iterator_start(&it, data, &options, &err));
    for (int i = 0; i < count; i++) {
        stk_iterator_times before;
        stk_element       *element;
        stk_iterator_read_times(it, &before);
        const uint64_t begin = stk_clock_ns();
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        waited += stk_clock_ns() - begin;
        stk_iterator_read_times(it, spent);
        EXPECT(spent->read_only_ns >= before.read_only_ns &&
               spent->compute_ns >= before.compute_ns);
        read_only += spent->read_only_ns - before.read_only_ns;
        compute += spent->compute_ns - before.compute_ns;
        assert_non_null(element);
        stk_element_unref(element);
    }
    EXPECT_INT_EQ(count, spent->elements);
    spent->read_only_ns = read_only;
    spent->compute_ns = compute;
    stk_iterator_free(it);
    stk_dataset_unref(data);
    return waited;
}

static const char *records(int count)
{
    return write_named("slow.tfrecord", "a record of some length, so that blocks are filled ",
                       count, NULL);
}

STK_TEST(slow_storage_is_read_time_with_and_without_threads)
{
    enum { RECORDS = 60000, BATCH = 500 };
    const char *path = records(RECORDS);
    for (int threads = 1; threads <= 3; threads++) {
        slow_filesystem    slow;
        stk_iterator_times spent;
        slow_filesystem_init(&slow, 20000);
        slow.most = 16 << 10;
        stk_dataset *data = slow_records(&slow, path);
        APPLY(data, map, stk_test_map("burn", burn, (void *)(uintptr_t)1, 0), NULL);
        APPLY(data, batch, BATCH, NULL);
        const uint64_t waited = draw(data, threads, RECORDS / BATCH, &spent);
        print_message("%d threads: waited %.0f ms, reading %.0f, computing %.0f\n", threads,
                      (double)waited / 1e6, (double)spent.read_only_ns / 1e6,
                      (double)spent.compute_ns / 1e6);
        EXPECT(spent.read_only_ns > waited / 2 && spent.read_only_ns <= waited);
        EXPECT(spent.compute_ns < waited / 2);
        EXPECT(spent.read_busy_ns > waited / 2);
        EXPECT(spent.read_bytes >= slow.bytes && spent.read_bytes < slow.bytes + 1024);
    }
}

STK_TEST(a_slow_map_is_compute_time_with_and_without_threads)
{
    enum { RECORDS = 400, BATCH = 20 };
    const char *path = records(RECORDS);
    for (int threads = 1; threads <= 3; threads++) {
        slow_filesystem    slow;
        stk_iterator_times spent;
        slow_filesystem_init(&slow, 1000);
        stk_dataset *data = slow_records(&slow, path);
        APPLY(data, map, stk_test_map("burn", burn, (void *)(uintptr_t)1000, 0), NULL);
        APPLY(data, batch, BATCH, NULL);
        const uint64_t waited = draw(data, threads, RECORDS / BATCH, &spent);
        EXPECT(spent.compute_ns > waited / 2);
        EXPECT(spent.read_only_ns < waited / 5);
        EXPECT(spent.other_busy_ns > waited / 2 && spent.read_busy_ns < spent.other_busy_ns / 3);
    }
}

static stk_status sleep_a_while(void *us, const stk_call *call, stk_element **element,
                                stk_error *err)
{
    (void)call, (void)element, (void)err;
    usleep((unsigned)(uintptr_t)us);
    return STK_OK;
}

STK_TEST(calls_that_wait_are_read_time)
{
    for (int threads = 1; threads <= 3; threads += 2) {
        stk_iterator_times  spent;
        stk_iterator_report report;
        stk_dataset        *data = RANGE(200);
        APPLY(data, map,
              stk_test_map("wait", sleep_a_while, (void *)(uintptr_t)20000, STK_FUNCTION_BLOCKING),
              NULL);
        APPLY(data, batch, 10, NULL);
        stk_dataset_ref(data);
        const uint64_t waited = draw(data, threads, 20, &spent);
        EXPECT(spent.read_only_ns > waited / 2);
        EXPECT(spent.compute_ns < waited / 3);
        EXPECT(spent.read_busy_ns > 5 * spent.other_busy_ns);
        stk_error     err;
        stk_iterator *it;
        EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
        stk_iterator_read_report(it, &report);
        EXPECT_CONTAINS("wait", report.stages[1].name);
        EXPECT_INT_EQ(STK_STAGE_READ, report.stages[1].stage);
        stk_iterator_free(it);
        stk_dataset_unref(data);
    }
}

STK_TEST(files_that_are_read_by_calls_count_with_their_bytes)
{
    enum { FILES = 8, BYTES = 1000 };
    static uint8_t     bytes[BYTES];
    stk_iterator_times spent;
    stk_error          err;
    stk_function      *function;
    stk_dataset       *data;
    slow_filesystem    slow;
    slow_filesystem_init(&slow, 5000);
    for (int i = 0; i < FILES; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d.bin", i);
        stk_test_write_file(stk_test_path(name), bytes, sizeof bytes);
    }
    EXPECT_OK(stk_dataset_files(&data, NULL, stk_test_path("*.bin"), NULL, &err));
    EXPECT_OK(stk_function_read_file(&function, 0, &(stk_read_file_options){.fs = &slow.fs}, &err));
    APPLY(data, map, function, NULL);
    stk_function_unref(function);
    const uint64_t waited = draw(data, 1, FILES, &spent);
    EXPECT_INT_EQ(FILES * BYTES, spent.read_bytes);
    EXPECT(spent.read_only_ns > waited / 2);
}

/* A source by number that sleeps; asked by a shuffle, which nothing isolates. */
static stk_status read_slowly(void *context, const stk_call *call, uint64_t index,
                              stk_element **out, stk_error *err)
{
    static const uint8_t bytes[100];
    (void)context;
    usleep(500);
    STK_TRY(stk_element_new(out, 1, err));
    stk_value_i64(stk_element_edit(*out, 0), (int64_t)index);
    return stk_value_bytes(stk_element_edit(*out, 0), call->ledger,
                           stk_bytes_of(bytes, sizeof bytes), err);
}

STK_TEST(a_source_that_waits_is_read_time_also_below_other_stages)
{
    const stk_indexed_info slow = {
        .name = "slow", .count = 200, .blocking = true, .read = read_slowly};
    for (int threads = 1; threads <= 3; threads += 2) {
        stk_iterator_times spent;
        stk_error          err;
        stk_dataset       *data;
        EXPECT_OK(stk_dataset_indexed(&data, &slow, &err));
        APPLY(data, global_shuffle, NULL);
        APPLY(data, repeat, 2);
        APPLY(data, map, stk_test_map("burn", burn, (void *)(uintptr_t)1, 0), NULL);
        APPLY(data, batch, 10, NULL);
        const uint64_t waited = draw(data, threads, 20, &spent);
        EXPECT(spent.read_only_ns > waited / 2 && spent.compute_ns < waited / 2);
        EXPECT(spent.read_bytes >= 200 * 100 && spent.read_bytes <= 400 * 100);
    }
}
