/* What a trace tells of a run: only what nothing hides counts, and the tools' own traces of loops
 * that are bound by one thing say so. */
#include "timeline_support.h"

#include <math.h>
#include <stdlib.h>

static stk_profile profile_of(const char *path, char *said, size_t capacity)
{
    stk_error     err;
    stk_profile   p;
    stk_blob      missing;
    stk_timeline *t = read_trace(path);
    stk_blob_init(&missing, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_timeline_profile(t, &p, &missing, &err));
    snprintf(said, capacity, "%.*s", (int)missing.size, missing.size ? (char *)missing.data : "");
    stk_blob_release(&missing);
    stk_timeline_free(t);
    return p;
}

static double share(const stk_profile *p, stk_stage stage)
{
    return p->stages[stage].exposed_ns / p->measured_ns;
}

static double exposed_us(const stk_profile *p, stk_stage stage)
{
    return p->stages[stage].exposed_ns / 1000;
}

/* Pieces of every step add up to it, and steps to the whole. */
static void expect_sums(const stk_profile *p)
{
    double all = 0;
    EXPECT_INT_EQ(p->steps, p->step_count);
    for (size_t i = 0; i < p->step_count; i++) {
        uint64_t sum = 0;
        for (int s = 0; s < STK_STAGE_COUNT; s++)
            sum += p->step_list[i].exposed_ns[s];
        EXPECT_INT_EQ(p->step_list[i].ns, sum);
        all += (double)sum;
    }
    EXPECT(fabs(all - p->measured_ns) < 1);
}

/* One step alone tells too little for a verdict. */
static void expect_verdict(const stk_profile *p, stk_stage stage)
{
    stk_error      err;
    stk_diagnosis *d = calloc(1, sizeof *d);
    EXPECT_OK(stk_diagnose(d, p, &err));
    if (p->steps > 1)
        EXPECT_INT_EQ(stage, d->limit.stage);
    else
        EXPECT(d->warning_count > 0);
    free(d);
}

STK_TEST(real_traces_that_wait_for_input_say_so_and_others_compute)
{
    static const struct {
        const char *name, *tool;
        stk_stage   stage;
        int         steps;
    } cases[] = {
        {"pytorch_input_bound", "PyTorch Kineto", STK_STAGE_PREPROCESS, 12},
        {"pytorch_compute_bound", "PyTorch Kineto", STK_STAGE_COMPUTE, 12},
        {"tensorflow_input_bound", "TensorFlow", STK_STAGE_PREPROCESS, 1},
        {"tensorflow_compute_bound", "TensorFlow", STK_STAGE_COMPUTE, 1},
        {"xprof_input_bound", "TensorFlow", STK_STAGE_PREPROCESS, 12},
        {"xprof_compute_bound", "TensorFlow", STK_STAGE_COMPUTE, 12},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char path[512], said[2048];
        snprintf(path, sizeof path, STK_TEST_DATA "/trace/%s.json.gz", cases[i].name);
        stk_profile p = profile_of(path, said, sizeof said);
        EXPECT_STR_EQ(cases[i].tool, p.run.source);
        EXPECT_INT_EQ(cases[i].steps, p.steps);
        EXPECT(share(&p, cases[i].stage) > 0.75);
        EXPECT(p.op_count > 3);
        EXPECT_CONTAINS("no device", said);
        EXPECT_CONTAINS("samples", said);
        expect_sums(&p);
        expect_verdict(&p, cases[i].stage);
        stk_profile_release(&p);
    }
}

/* A device, its host, ten steps of 100 us. Of each step: the host waits 30 us for data, copies 10
 * us of it (5 hidden under the kernel before), launches; the kernel runs 40 us; the gradient is
 * shared for 10 us, 4 of them beside the kernel. */
static const char *write_gpu_steps(const char *name)
{
    trace_file f = begin_trace(name, "\"schemaVersion\": 1, \"host_name\": \"h\"");
    name_process(&f, 100, "labels", "CPU");
    name_process(&f, 0, "labels", "GPU 0");
    for (int i = 0; i < 10; i++) {
        const double t = 1000 + i * 100;
        add_step(&f, 100, i, t, 100);
        add_span(&f, 100, 1, "user_annotation", "enumerate(DataLoader)#_Iter.__next__", t, 30);
        add_span(&f, 100, 1, "cpu_op", "aten::stack", t + 5, 20);
        add_span(&f, 100, 1, "cpu_op", "aten::conv2d", t + 30, 12);
        add_span(&f, 100, 1, "cuda_runtime", "cudaLaunchKernel", t + 32, 5);
        add_span(&f, 0, 7, "gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", t + 35, 10);
        add_span(&f, 0, 8, "kernel", "sgemm", t + 40, 40);
        add_span(&f, 0, 9, "kernel", "ncclDevKernel_AllReduce", t + 76, 10);
    }
    end_trace(&f);
    return f.path;
}

STK_TEST(only_what_nothing_hides_counts)
{
    char        said[2048];
    stk_profile p = profile_of(write_gpu_steps("gpu.json"), said, sizeof said);
    expect_sums(&p);
    EXPECT_INT_EQ(10, p.steps);
    EXPECT(fabs(exposed_us(&p, STK_STAGE_PREPROCESS) - 300) < 0.1);
    EXPECT(fabs(exposed_us(&p, STK_STAGE_HOST_TO_DEVICE) - 50) < 0.1);
    EXPECT(fabs(exposed_us(&p, STK_STAGE_ALLREDUCE) - 60) < 0.1);
    EXPECT(fabs(exposed_us(&p, STK_STAGE_COMPUTE) - (400 + 50)) < 0.1);
    EXPECT(fabs(exposed_us(&p, STK_STAGE_NONE) - 140) < 0.1);
    EXPECT(fabs(p.stages[STK_STAGE_COMPUTE].busy_ns - 400e3) < 1);
    EXPECT_INT_EQ(1, p.op_count);
    EXPECT_STR_EQ("sgemm", p.ops[0].name);
    EXPECT_INT_EQ(10, p.ops[0].runs);
    EXPECT_STR_EQ("h", p.machine.host);
    EXPECT(!strstr(said, "no device"));
    stk_profile_release(&p);
}

STK_TEST(own_traces_are_told_by_the_training_thread_and_workers_are_work)
{
    char       said[2048];
    trace_file f = begin_trace("own.json", "\"otherData\": {\"dropped\": 7}");
    for (int i = 0; i < 20; i++) {
        const double t = i * 100;
        add_step(&f, 1, i, t, 100);
        add_span(&f, 1, 1, "S2 preprocess", "input", t, 20);
        add_span(&f, 1, 1, "S4 compute", "compute", t + 20, 60);
        add_span(&f, 1, 1, "S4 compute", "conv1", t + 25, 30);
        add_span(&f, 1, 1, "S8 write", "checkpoint", t + 80, 10);
        add_span(&f, 1, 2, "S2 preprocess", "decode", t, 90);
        add_span(&f, 1, 3, "S2 preprocess", "decode", t + 10, 80);
    }
    end_trace(&f);
    stk_profile p = profile_of(f.path, said, sizeof said);
    EXPECT_STR_EQ("stoker", p.run.source);
    expect_sums(&p);
    EXPECT(fabs(share(&p, STK_STAGE_PREPROCESS) - 0.2) < 1e-6);
    EXPECT(fabs(share(&p, STK_STAGE_COMPUTE) - 0.6) < 1e-6);
    EXPECT(fabs(share(&p, STK_STAGE_WRITE) - 0.1) < 1e-6);
    EXPECT(fabs(p.stages[STK_STAGE_PREPROCESS].busy_ns - 20 * 190e3) < 1);
    EXPECT_INT_EQ(2, p.stages[STK_STAGE_PREPROCESS].servers);
    EXPECT_INT_EQ(7, p.trace_dropped);
    EXPECT_CONTAINS("lost 7 events", said);
    stk_profile_release(&p);
}

STK_TEST(waits_for_bytes_inside_preprocessing_are_reading)
{
    char       said[2048];
    trace_file f = begin_trace("bytes.json", "\"otherData\": {\"dropped\": 0}");
    for (int i = 0; i < 20; i++) {
        const double t = i * 100;
        add_step(&f, 1, i, t, 100);
        add_span(&f, 1, 1, "S2 preprocess", "input", t, 60);
        add_span(&f, 1, 1, "S2 preprocess", "shuffle", t, 50);
        add_span(&f, 1, 1, "S1 read", "wait for bytes", t + 10, 30);
        add_span(&f, 1, 1, "S4 compute", "compute", t + 60, 40);
    }
    end_trace(&f);
    stk_profile p = profile_of(f.path, said, sizeof said);
    expect_sums(&p);
    EXPECT(fabs(share(&p, STK_STAGE_READ) - 0.3) < 1e-6);
    EXPECT(fabs(share(&p, STK_STAGE_PREPROCESS) - 0.3) < 1e-6);
    stk_profile_release(&p);
}

STK_TEST(steps_without_marks_are_found_by_what_comes_once_in_each)
{
    char       said[2048];
    trace_file f = begin_trace("periodic.json", "\"schemaVersion\": 1");
    for (int i = 0; i < 9; i++) {
        const double t = i * 1000 + (i % 2) * 20;
        add_span(&f, 1, 1, "cpu_op", "aten::linear", t, 300);
        add_span(&f, 1, 1, "cpu_op", "aten::loss", t + 310, 100);
        add_span(&f, 1, 1, "cpu_op", "aten::backward", t + 420, 400);
        for (int k = 0; k < 3 + i % 2; k++)
            add_span(&f, 1, 1, "cpu_op", "aten::add", t + 830 + k * 20, 10);
    }
    end_trace(&f);
    stk_profile p = profile_of(f.path, said, sizeof said);
    EXPECT_INT_EQ(8, p.steps);
    EXPECT_CONTAINS("marks no steps", said);
    EXPECT_CONTAINS("'aten::backward'", said);
    expect_sums(&p);
    stk_profile_release(&p);
}

STK_TEST(marks_whose_number_counts_no_steps_are_numbered_by_their_order)
{
    static const char *const names[] = {"ProfilerStep#7", "ProfilerStep#777777777777777777777777",
                                        "ProfilerStep#9"};
    static const int         numbers[] = {7, 1, 9};
    char                     said[2048];
    trace_file               f = begin_trace("numbers.json", "\"schemaVersion\": 1");
    for (int i = 0; i < 3; i++) {
        add_span(&f, 1, 1, "user_annotation", names[i], i * 1000, 900);
        add_span(&f, 1, 1, "cpu_op", "aten::linear", i * 1000 + 10, 800);
    }
    end_trace(&f);
    stk_profile p = profile_of(f.path, said, sizeof said);
    EXPECT_INT_EQ(3, p.steps);
    for (size_t i = 0; i < p.step_count; i++)
        EXPECT_INT_EQ(numbers[i], p.step_list[i].step);
    expect_sums(&p);
    stk_profile_release(&p);
}

STK_TEST(long_pauses_between_steps_are_no_part_of_them)
{
    char       said[2048];
    trace_file f = begin_trace("pause.json", "\"schemaVersion\": 1");
    for (int i = 0; i < 12; i++) {
        const double t = i * 100 + (i >= 6 ? 50000 : 0);
        add_step(&f, 1, i, t, 80);
        add_span(&f, 1, 1, "cpu_op", "aten::mm", t, 70);
    }
    end_trace(&f);
    stk_profile p = profile_of(f.path, said, sizeof said);
    EXPECT_INT_EQ(12, p.steps);
    EXPECT(fabs(p.measured_ns - 1e3 * (5 * 100 + 80 + 5 * 100 + 80)) < 1);
    EXPECT(fabs(p.evaluation_ns - 1e3 * 50020) < 1);
    stk_profile_release(&p);
}

STK_TEST(trace_without_spans_has_nothing_to_tell)
{
    stk_error   err;
    stk_profile p;
    trace_file  f = begin_trace("empty.json", "");
    end_trace(&f);
    stk_timeline *t = read_trace(f.path);
    EXPECT_STATUS(STK_E_INVALID, stk_timeline_profile(t, &p, NULL, &err));
    EXPECT_CONTAINS("no spans", err.message);
    stk_timeline_free(t);
}
