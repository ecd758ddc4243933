/* A trace as a file: whole or not there, nested in every row, and no larger than asked. */
#include "observe/small_disk.h"
#include "observe/trace_support.h"

#include <stoker/timeline.h>
#include <time.h>
#include <unistd.h>

static stk_trace *new_trace(uint32_t events, stk_trace_thread **thread)
{
    stk_error  err;
    stk_trace *trace;
    EXPECT_OK(stk_trace_new(&trace, &(stk_trace_options){.events_per_thread = events}, &err));
    EXPECT_OK(stk_trace_attach(trace, "train", thread, &err));
    return trace;
}

static void spend(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
}

/* A step as the meter and a program record it. */
static void record_step(stk_trace_thread *thread, int64_t number, const stk_trace_op *op)
{
    const uint64_t step = stk_trace_now();
    uint64_t       piece = stk_trace_now();
    spend();
    stk_span_end(thread, STK_STAGE_HOST_TO_DEVICE, "copy to device", piece, 0);
    piece = stk_trace_now();
    uint64_t at = piece;
    for (int i = 0; op && i < 3; i++) {
        spend();
        at = stk_trace_record_op(thread, STK_STAGE_COMPUTE, op, at);
    }
    stk_span_end(thread, STK_STAGE_COMPUTE, "compute", piece, 0);
    stk_trace_record_step(thread, number, step);
}

static const stk_trace_op conv = {
    .name = "conv2d", .layer = "layer1.0.conv1", .kernel = "onednn", .flops = 1000, .bytes = 24};

STK_TEST(a_name_that_ends_in_gz_is_compressed_and_holds_the_same)
{
    stk_error         err;
    stk_trace_thread *thread;
    stk_trace_written plain, packed;
    stk_trace        *trace = new_trace(1024, &thread);
    for (int i = 0; i < 50; i++)
        record_step(thread, i, NULL);
    const char *a = stk_test_path("a.json"), *b = stk_test_path("b.json.gz");
    EXPECT_OK(stk_trace_write(trace, NULL, a, NULL, &plain, &err));
    EXPECT_OK(stk_trace_write(trace, NULL, b, NULL, &packed, &err));
    EXPECT_INT_EQ(plain.events, packed.events);
    EXPECT_INT_EQ(plain.bytes, stk_test_read_file(a).size);
    EXPECT(stk_test_read_file(b).size < plain.bytes / 4);
    trace_file f = trace_file_of(b), g = trace_file_of(a);
    EXPECT_INT_EQ(plain.events, stk_json_count(f.events));
    EXPECT_INT_EQ(stk_json_count(g.events), stk_json_count(f.events));
    EXPECT_INT_EQ(50, trace_count(&f, "X", "ProfilerStep#"));
    expect_nested(&f);
    trace_file_release(&f);
    trace_file_release(&g);
    stk_trace_free(trace);
}

STK_TEST(roofs_are_read_as_they_were_written)
{
    stk_error                    err;
    stk_trace_thread            *thread;
    stk_timeline                *timeline;
    const stk_machine_peaks      machine = {7.4e14, 4.1e12, -1, -1, -1, 2000};
    const stk_trace_file_options with = {.format.peaks = &machine};
    stk_machine_peaks            peaks;
    stk_trace                   *trace = new_trace(1024, &thread);
    record_step(thread, 0, NULL);
    for (int told = 0; told < 2; told++) {
        const char *path = stk_test_path(told ? "roofs.json" : "none.json");
        EXPECT_OK(stk_trace_write(trace, NULL, path, told ? &with : NULL, NULL, &err));
        EXPECT_OK(stk_timeline_read(&timeline, path, NULL, &err));
        EXPECT_INT_EQ(told, stk_timeline_peaks(timeline, &peaks));
        stk_timeline_free(timeline);
    }
    EXPECT(peaks.flops == 7.4e14 && peaks.memory_bytes == 4.1e12 && peaks.launch_ns == 2000);
    stk_trace_free(trace);
}

STK_TEST(operations_are_kernels_of_the_device_with_an_arrow_from_their_launch)
{
    stk_error         err;
    stk_trace_thread *thread;
    stk_trace        *trace = new_trace(1024, &thread);
    record_step(thread, 7, stk_trace_intern_op(thread, &conv));
    const char *path = stk_test_path("ops.json");
    EXPECT_OK(stk_trace_write(trace, NULL, path, NULL, NULL, &err));
    trace_file            f = trace_file_of(path);
    const stk_json_value *kernel = trace_find(&f, "X", "conv2d", 2);
    const stk_json_value *args = stk_json_get(kernel, "args");
    const stk_json_value *launch = trace_find(&f, "X", "launch", 2);
    EXPECT_STR_EQ("kernel", trace_text(kernel, "cat"));
    EXPECT_STR_EQ("layer1.0.conv1", trace_text(args, "layer"));
    EXPECT_STR_EQ("onednn", trace_text(args, "kernel"));
    EXPECT_INT_EQ(1000, trace_number(args, "flops"));
    EXPECT_INT_EQ(0, trace_number(kernel, "pid"));
    EXPECT_INT_EQ(7, trace_number(args, "stream"));
    EXPECT_INT_EQ(trace_number(args, "correlation"),
                  trace_number(stk_json_get(launch, "args"), "correlation"));
    EXPECT_INT_EQ(getpid(), trace_number(launch, "pid"));
    EXPECT(trace_find(&f, "X", "conv2d", 3) == NULL); /* not on the host's row, too */
    EXPECT_INT_EQ(1, trace_count(&f, "X", "Memcpy HtoD"));
    EXPECT_INT_EQ(4, trace_count(&f, "s", "launch"));
    for (int i = 0; i < 4; i++) {
        const stk_json_value *from = trace_find(&f, "s", "", i), *to = trace_find(&f, "f", "", i);
        EXPECT_INT_EQ(trace_number(from, "id"), trace_number(to, "id"));
        EXPECT_STR_EQ("e", trace_text(to, "bp"));
    }
    EXPECT_CONTAINS("\"rank\": 0", (char *)f.text.data);
    EXPECT(trace_number(stk_json_root(f.doc), "baseTimeNanoseconds") > 1e18);
    EXPECT_INT_EQ(2, trace_number(f.other, "level"));
    EXPECT(trace_number(f.other, "overhead_ns") > 0);
    expect_nested(&f);
    trace_file_release(&f);
    stk_trace_free(trace);
}

STK_TEST(without_operations_the_compute_piece_is_the_kernel)
{
    stk_error                    err;
    stk_trace_thread            *thread;
    stk_trace                   *trace = new_trace(1024, &thread);
    const stk_trace_file_options options = {.format = {.cuda_names = true, .device = "gpu:3"}};
    record_step(thread, 0, NULL);
    const char *path = stk_test_path("stages.json");
    EXPECT_OK(stk_trace_write(trace, NULL, path, &options, NULL, &err));
    trace_file f = trace_file_of(path);
    EXPECT_INT_EQ(1, trace_count(&f, "X", "cudaLaunchKernel"));
    EXPECT_INT_EQ(1, trace_count(&f, "X", "cudaMemcpyAsync"));
    EXPECT_INT_EQ(2, trace_count(&f, "X", "compute")); /* the piece, and the device's */
    EXPECT_STR_EQ("gpu:3 compute",
                  trace_text(stk_json_get(trace_find(&f, "M", "process_name", 1), "args"), "name"));
    trace_file_release(&f);
    stk_trace_free(trace);
}

STK_TEST(spans_that_overlap_get_rows_of_their_own)
{
    stk_error         err;
    stk_trace_thread *thread;
    stk_trace        *trace = new_trace(1024, &thread);
    for (int i = 0; i < 20; i++) { /* a b a b: neither inside the other */
        const uint64_t a = stk_trace_now();
        spend();
        const uint64_t b = stk_trace_now();
        spend();
        stk_span_end(thread, STK_STAGE_READ, "a", a, 0);
        spend();
        stk_span_end(thread, STK_STAGE_READ, "b", b, 0);
    }
    const char *path = stk_test_path("overlap.json");
    EXPECT_OK(stk_trace_write(trace, NULL, path, NULL, NULL, &err));
    trace_file f = trace_file_of(path);
    EXPECT_INT_EQ(2, expect_nested(&f));
    EXPECT_INT_EQ(2, trace_count(&f, "M", "thread_name"));
    EXPECT_INT_EQ(20, trace_count(&f, "X", "a"));
    EXPECT_INT_EQ(20, trace_count(&f, "X", "b"));
    trace_file_release(&f);
    stk_trace_free(trace);
}

STK_TEST(a_text_too_long_loses_its_oldest_events_and_counts_them)
{
    enum { STEPS = 2000, MOST = 200000 };
    stk_error                    err;
    stk_trace_thread            *thread;
    stk_trace_written            written;
    stk_trace                   *trace = new_trace(16384, &thread);
    const stk_trace_file_options options = {.format = {.most_bytes = MOST}};
    const stk_trace_op          *op = stk_trace_intern_op(thread, &conv);
    for (int i = 0; i < STEPS; i++) {
        const uint64_t begin = stk_trace_now();
        stk_trace_record_op(thread, STK_STAGE_COMPUTE, op, begin);
        stk_trace_record_step(thread, i, begin);
    }
    const char *path = stk_test_path("long.json");
    EXPECT_OK(stk_trace_write(trace, NULL, path, &options, &written, &err));
    EXPECT(written.bytes <= MOST && written.bytes > MOST / 2);
    EXPECT(written.left_out > STEPS && written.left_out < 2 * STEPS);
    trace_file f = trace_file_of(path);
    EXPECT_INT_EQ(written.left_out, trace_number(f.other, "left_out"));
    const int kept = trace_count(&f, "X", "ProfilerStep#");
    EXPECT(trace_find(&f, "X", "ProfilerStep#1999", 0) != NULL);
    EXPECT(trace_find(&f, "X", "ProfilerStep#3", 0) == NULL);
    EXPECT(kept > 20 && kept < STEPS / 2);
    expect_nested(&f);
    trace_file_release(&f);
    stk_trace_free(trace);
}

STK_TEST(samples_of_the_machine_are_counters_on_the_same_axis)
{
    stk_error                    err;
    stk_trace_thread            *thread;
    stk_trace                   *trace = new_trace(64, &thread);
    stk_resource_sample          samples[3] = {{.seconds = 0, .cpu = 0.5, .net_in = -1},
                                               {.seconds = 1, .cpu = 0.75, .net_in = -1},
                                               {.seconds = 2, .cpu = 1, .net_in = 8}};
    const stk_trace_file_options options = {
        .resources = samples, .resource_count = 3, .resource_begin_s = 0.5};
    const char *path = stk_test_path("resources.json");
    EXPECT_OK(stk_trace_write(trace, NULL, path, &options, NULL, &err));
    trace_file            f = trace_file_of(path);
    const stk_json_value *second = trace_find(&f, "C", "cpu", 1);
    EXPECT_INT_EQ(3, trace_count(&f, "C", "cpu"));
    EXPECT_INT_EQ(1500000, trace_number(second, "ts"));
    EXPECT(trace_number(stk_json_get(second, "args"), "value") == 0.75);
    EXPECT_INT_EQ(1, trace_count(&f, "C", "net in"));
    EXPECT_INT_EQ(0, trace_count(&f, "C", "gpu"));
    trace_file_release(&f);
    stk_trace_free(trace);
}

STK_TEST(a_full_disk_leaves_the_file_of_before)
{
    stk_error         err;
    stk_trace_thread *thread;
    small_disk        disk;
    stk_trace        *trace = new_trace(4096, &thread);
    const char       *paths[] = {stk_test_path("full.json"), stk_test_path("full.json.gz")};
    small_disk_init(&disk, 3000);
    for (int i = 0; i < 2; i++) {
        record_step(thread, 0, NULL);
        EXPECT_OK(stk_trace_write(trace, NULL, paths[i], NULL, NULL, &err));
        const size_t before = stk_test_read_file(paths[i]).size;
        for (int k = 0; k < 500; k++)
            stk_span_end(thread, STK_STAGE_READ, "more", stk_trace_now(), (uint64_t)k * 977);
        EXPECT_STATUS(STK_E_NOSPACE, stk_trace_write(trace, &disk.fs, paths[i], NULL, NULL, &err));
        EXPECT_STR_EQ(paths[i], err.where);
        EXPECT_INT_EQ(before, stk_test_read_file(paths[i]).size);
    }
    EXPECT_STATUS(STK_E_NOTFOUND,
                  stk_trace_write(trace, NULL, stk_test_path("no/such/f.json"), NULL, NULL, &err));
    stk_trace_free(trace);
}

typedef struct writing {
    stk_trace  *trace;
    const char *path;
} writing;

static stk_status write_once(void *context, stk_error *err)
{
    stk_resource_sample          samples[2] = {{0}};
    const stk_trace_file_options options = {
        .format = {.most_bytes = 4000}, .resources = samples, .resource_count = 2};
    const writing *w = context;
    return stk_trace_write(w->trace, NULL, w->path, &options, NULL, err);
}

STK_TEST(writing_survives_every_failing_allocation)
{
    stk_trace_thread *thread;
    writing           w = {new_trace(64, &thread), stk_test_path("fail.json.gz")};
    for (int i = 0; i < 8; i++)
        record_step(thread, i, stk_trace_intern_op(thread, &conv));
    stk_test_fail_each_allocation(write_once, &w);
    stk_trace_free(w.trace);
}

STK_TEST(a_ring_that_a_thread_left_goes_on_with_the_next_of_its_name)
{
    stk_error         err;
    stk_trace        *trace;
    stk_trace_stats   stats;
    stk_trace_thread *mine, *next;
    EXPECT_OK(stk_trace_new(&trace, NULL, &err));
    stk_trace_set_level(trace, STK_TRACE_OFF);
    EXPECT(stk_trace_current_at(trace, "pipeline", STK_TRACE_STAGES) == NULL);
    stk_trace_read_stats(trace, &stats);
    EXPECT_INT_EQ(0, stats.threads); /* one that never records has no ring */
    stk_trace_set_level(trace, STK_TRACE_STAGES);
    mine = stk_trace_current_at(trace, "pipeline", STK_TRACE_STAGES);
    EXPECT(mine != NULL && stk_trace_current_at(trace, "other", STK_TRACE_STAGES) == mine);
    EXPECT(stk_trace_current_at(trace, "pipeline", STK_TRACE_OPS) == NULL);
    stk_trace_leave(trace);
    next = stk_trace_current_at(trace, "pipeline", STK_TRACE_STAGES);
    EXPECT(next == mine);
    stk_trace_leave(trace);
    EXPECT(stk_trace_current_at(trace, "callbacks", STK_TRACE_STAGES) != mine);
    stk_trace_read_stats(trace, &stats);
    EXPECT_INT_EQ(2, stats.threads);
    stk_trace_free(trace);
}
