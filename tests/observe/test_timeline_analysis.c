/* Operations, idle blocks and differences of timelines whose answers are known. */
#include "timeline_support.h"

#include <math.h>
#include <stdlib.h>

static const stk_timeline_op *find_op(const stk_timeline *t, const stk_timeline_ops *ops,
                                      const char *name)
{
    for (size_t i = 0; i < ops->count; i++)
        if (strcmp(stk_timeline_text(t, ops->list[i].name), name) == 0) return &ops->list[i];
    fail_msg("no operation %s", name);
    return NULL;
}

STK_TEST(operations_have_calls_own_time_and_rates)
{
    stk_error        err;
    stk_timeline_ops ops;
    trace_file       f = begin_trace("ops.json", "\"schemaVersion\": 1");
    for (int i = 0; i < 100; i++) {
        add_span(&f, 1, 1, "cpu_op", "outer", i * 100, 50);
        add_span(&f, 1, 1, "cpu_op", "inner", i * 100 + 10, i < 90 ? 10 : 20);
        add_span(&f, 1, 1, "", "innermost", i * 100 + 12, 2);
    }
    fprintf(f.file, ",{\"ph\":\"X\",\"name\":\"copy\",\"cat\":\"gpu_memcpy\",\"pid\":0,\"tid\":7,"
                    "\"ts\":0,\"dur\":10,\"args\":{\"bytes\":1000000,\"flops\":\"5e4\"}}");
    end_trace(&f);
    stk_timeline *t = read_trace(f.path);
    EXPECT_OK(stk_timeline_count_ops(&ops, t, &err));
    EXPECT_INT_EQ(4, ops.count);
    const stk_timeline_op *outer = find_op(t, &ops, "outer"), *inner = find_op(t, &ops, "inner");
    EXPECT_INT_EQ(100, outer->calls);
    EXPECT_INT_EQ(5000000, outer->total_ns);
    EXPECT_INT_EQ(5000000 - 1100000, outer->self_ns);
    EXPECT_INT_EQ(1100000 - 200000, inner->self_ns);
    EXPECT_INT_EQ(20000, inner->p95_ns);
    EXPECT_INT_EQ(STK_STAGE_COMPUTE, find_op(t, &ops, "innermost")->stage);
    const stk_timeline_op *copy = find_op(t, &ops, "copy");
    EXPECT(fabs(copy->bytes_per_s - 1e11) < 1);
    EXPECT(fabs(copy->flops_per_s - 5e9) < 1);
    EXPECT(outer->flops_per_s < 0);
    EXPECT(ops.list[0].self_ns == outer->self_ns);
    stk_timeline_ops_release(&ops);
    stk_timeline_free(t);
}

/* The compute piece of 100 us is a launch of 60 and one of 30, each as long as its kernel. */
static stk_timeline *read_launches(const char *device)
{
    trace_file f = begin_trace("launches.json", "\"schemaVersion\": 1");
    name_process(&f, 2, "name", device);
    add_step(&f, 1, 1, 0, 100);
    add_span(&f, 1, 1, "S4 compute", "compute", 0, 100);
    add_span(&f, 1, 1, "cuda_runtime", "launch", 5, 60);
    add_span(&f, 1, 1, "cuda_runtime", "launch", 65, 30);
    add_span(&f, 2, 7, "kernel", "conv2d", 5, 60);
    add_span(&f, 2, 7, "kernel", "matmul", 65, 30);
    end_trace(&f);
    return read_trace(f.path);
}

STK_TEST(a_launch_that_waits_for_its_kernel_is_not_counted_beside_it)
{
    stk_error        err;
    stk_timeline_ops ops;
    stk_timeline    *t = read_launches("cpu:0 compute");
    EXPECT_INT_EQ(STK_TIMELINE_STOKER, stk_timeline_made_by(t));
    EXPECT_OK(stk_timeline_count_ops(&ops, t, &err));
    EXPECT_INT_EQ(3, ops.count);
    EXPECT_INT_EQ(100000, ops.self_ns);
    EXPECT_INT_EQ(10000, find_op(t, &ops, "compute")->self_ns);
    stk_timeline_ops_release(&ops);
    stk_timeline_free(t);
    t = read_launches("cuda:0 compute");
    EXPECT_OK(stk_timeline_count_ops(&ops, t, &err));
    EXPECT_INT_EQ(4, ops.count);
    EXPECT_INT_EQ(2, find_op(t, &ops, "launch")->calls);
    stk_timeline_ops_release(&ops);
    stk_timeline_free(t);
}

/* A device that is busy but for a gap of 300 us in step 3, in which the host runs a function, and
 * small ones; a prefetch goes on beside it all the time. */
static stk_timeline *read_gaps(void)
{
    trace_file f = begin_trace("gaps.json", "\"schemaVersion\": 1");
    name_process(&f, 0, "labels", "GPU 0");
    for (int i = 0; i < 6; i++) {
        const double t = i * 1000;
        add_step(&f, 9, i, t, 1000);
        add_span(&f, 0, 7, "kernel", "first", t, 400);
        add_span(&f, 9, 2, "user_annotation", "prefetch", t, 1000);
        if (i == 3) add_span(&f, 9, 1, "python_function", "my_callback", t + 390, 320);
        add_span(&f, 0, 7, "kernel", "second", t + (i == 3 ? 700 : 410), i == 3 ? 290 : 580);
        add_span(&f, 0, 20, "kernel", "other stream", t + 395, i == 3 ? 5 : 15);
    }
    end_trace(&f);
    return read_trace(f.path);
}

STK_TEST(largest_gap_comes_first_with_what_the_host_did_in_it)
{
    stk_error         err;
    stk_timeline_gaps gaps;
    stk_timeline     *t = read_gaps();
    EXPECT_OK(stk_timeline_find_gaps(&gaps, t, 3, &err));
    EXPECT_INT_EQ(1, gaps.row_count);
    EXPECT_INT_EQ(3, gaps.count);
    EXPECT_INT_EQ(300000, gaps.list[0].ns);
    EXPECT_INT_EQ(3400000, gaps.list[0].begin_ns);
    EXPECT(gaps.list[0].step == 3);
    bool found = false;
    for (size_t i = 0; i < gaps.list[0].span_count; i++) {
        const stk_timeline_gap_span *span = &gaps.list[0].spans[i];
        found |= strcmp(stk_timeline_text(t, span->name), "my_callback") == 0 && span->ns == 300000;
    }
    EXPECT(found);
    /* The two streams together leave 10 us at the end of each step, and the one large block. */
    EXPECT_INT_EQ(6000000, gaps.rows[0].window_ns);
    EXPECT_INT_EQ(300000 + 6 * 10000, gaps.rows[0].idle_ns);
    EXPECT_INT_EQ(7, gaps.rows[0].gaps);
    stk_timeline_gaps_release(&gaps);
    stk_timeline_free(t);
}

STK_TEST(work_beside_a_busy_device_is_no_gap)
{
    stk_error         err;
    stk_timeline_gaps gaps;
    trace_file        f = begin_trace("busy.json", "\"schemaVersion\": 1");
    name_process(&f, 0, "labels", "GPU 0");
    for (int i = 0; i < 5; i++) {
        add_step(&f, 9, i, i * 100, 100);
        add_span(&f, 0, 7, "kernel", "k", i * 100, 100);
        add_span(&f, 9, 1, "user_annotation", "enumerate(DataLoader)#x", i * 100 + 10, 80);
    }
    end_trace(&f);
    stk_timeline *t = read_trace(f.path);
    EXPECT_OK(stk_timeline_find_gaps(&gaps, t, 10, &err));
    EXPECT_INT_EQ(0, gaps.count);
    EXPECT_INT_EQ(0, gaps.rows[0].idle_ns);
    EXPECT_INT_EQ(0, gaps.idle_ns_by_stage[STK_STAGE_PREPROCESS]);
    stk_timeline_gaps_release(&gaps);
    stk_timeline_free(t);
}

STK_TEST(gaps_of_a_host_without_device_are_those_of_its_busiest_row)
{
    stk_error         err;
    stk_timeline_gaps gaps;
    stk_timeline     *t = read_trace(STK_TEST_DATA "/trace/pytorch_input_bound.json.gz");
    EXPECT_OK(stk_timeline_find_gaps(&gaps, t, 5, &err));
    EXPECT_INT_EQ(1, gaps.row_count);
    EXPECT_INT_EQ(5, gaps.count);
    EXPECT(gaps.rows[0].idle_ns > gaps.rows[0].window_ns / 2);
    EXPECT(gaps.idle_ns_by_stage[STK_STAGE_PREPROCESS] > gaps.rows[0].idle_ns / 2);
    EXPECT_CONTAINS("enumerate(DataLoader)", stk_timeline_text(t, gaps.list[0].spans[0].name));
    stk_timeline_gaps_release(&gaps);
    stk_timeline_free(t);
}

static stk_timeline *read_variant(const char *name, double conv, double wait)
{
    trace_file f = begin_trace(name, "\"schemaVersion\": 1");
    double     t = 0;
    for (int i = 0; i < 40; i++) {
        const double jitter = (i * 7) % 5, step = conv + wait + 50 + jitter;
        add_step(&f, 1, i, t, step);
        add_span(&f, 1, 1, "user_annotation", "enumerate(DataLoader)#x", t, wait);
        add_span(&f, 1, 1, "cpu_op", "conv", t + wait, conv + jitter);
        add_span(&f, 1, 1, "cpu_op", "relu", t + wait + conv + jitter, 40);
        t += step;
    }
    end_trace(&f);
    return read_trace(f.path);
}

STK_TEST(difference_names_the_operation_and_the_stage_that_changed)
{
    stk_error         err;
    stk_timeline_diff diff;
    stk_timeline     *a = read_variant("a.json", 100, 20), *b = read_variant("b.json", 300, 20);
    EXPECT_OK(stk_timeline_compare(&diff, a, b, &err));
    EXPECT_INT_EQ(40, diff.steps[0]);
    EXPECT_STR_EQ("conv", diff.ops[0].name);
    EXPECT(fabs(diff.ops[0].delta_ns - 200e3) < 1);
    EXPECT(diff.ops[0].low_ns > 190e3 && diff.ops[0].high_ns < 210e3);
    EXPECT(diff.ops[0].low_ns < 200e3 && diff.ops[0].high_ns > 200e3);
    EXPECT(diff.ops[0].calls[0] == 1 && diff.ops[0].calls[1] == 1);
    EXPECT(fabs(diff.step.delta_ns - 200e3) < 1);
    EXPECT(fabs(diff.stages[STK_STAGE_COMPUTE].delta_ns - 200e3) < 1);
    EXPECT(diff.stages[STK_STAGE_PREPROCESS].delta_ns == 0);
    EXPECT_STR_EQ("S2 preprocess", diff.stages[STK_STAGE_PREPROCESS].name);
    stk_timeline_diff_release(&diff);

    EXPECT_OK(stk_timeline_compare(&diff, a, a, &err));
    EXPECT(diff.step.delta_ns == 0 && diff.step.low_ns <= 0 && diff.step.high_ns >= 0);
    stk_timeline_diff_release(&diff);
    stk_timeline_free(a);
    stk_timeline_free(b);
}

STK_TEST(operations_that_only_one_has_are_compared_with_nothing)
{
    stk_error         err;
    stk_timeline_diff diff;
    stk_timeline     *a = read_trace(STK_TEST_DATA "/trace/tensorflow_input_bound.json.gz");
    stk_timeline     *b = read_trace(STK_TEST_DATA "/trace/pytorch_compute_bound.json.gz");
    EXPECT_OK(stk_timeline_compare(&diff, a, b, &err));
    EXPECT(diff.op_count > 10);
    for (size_t i = 0; i < diff.op_count; i++)
        EXPECT(diff.ops[i].low_ns > diff.ops[i].high_ns); /* one step only: no interval */
    stk_timeline_diff_release(&diff);
    stk_timeline_free(a);
    stk_timeline_free(b);
}

typedef struct two {
    const char *a, *b;
} two;

static stk_status analyse(void *context, stk_error *err)
{
    const two        *paths = context;
    stk_timeline     *a, *b = NULL;
    stk_timeline_diff diff;
    stk_timeline_gaps gaps;
    STK_TRY(stk_timeline_read(&a, paths->a, NULL, err));
    stk_status st = stk_timeline_read(&b, paths->b, NULL, err);
    if (!st) st = stk_timeline_compare(&diff, a, b, err);
    if (!st) {
        stk_timeline_diff_release(&diff);
        st = stk_timeline_find_gaps(&gaps, a, 4, err);
        if (!st) stk_timeline_gaps_release(&gaps);
    }
    stk_timeline_free(a);
    stk_timeline_free(b);
    return st;
}

STK_TEST(every_failed_allocation_of_an_analysis_is_told_and_frees_all)
{
    two paths = {stk_test_path("a.json"), stk_test_path("b.json")};
    stk_timeline_free(read_variant("a.json", 10, 20));
    stk_timeline_free(read_variant("b.json", 30, 20));
    stk_test_fail_each_allocation(analyse, &paths);
}
