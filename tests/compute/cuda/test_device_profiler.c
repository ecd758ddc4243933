/* Asynchronous device activity is reported in times and traces. */
#include "compute/cuda/cuda_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <stoker/json.h>
#include <string.h>
#include <unistd.h>

enum {
    RUNS = 3,
    OPS = 2,
    ROWS = 16,
    COLUMNS = 2048 /* above the size of small uploads: a copy on the copy stream */
};

typedef struct fixture {
    stk_device    *device;
    stk_variables *variables;
    stk_program   *program;
} fixture;

static void feed(const fixture *f)
{
    static float x[ROWS * COLUMNS] = {1};
    stk_error    err;
    EXPECT_OK(stk_program_feed(f->program, "x", x, sizeof x, &err));
}

/* Two operations that no pass fuses. */
static void open_fixture(fixture *f)
{
    stk_error  err;
    stk_graph *g;
    EXPECT_OK(stk_graph_new(&g, NULL, &err));
    stk_symbol in = stk_graph_input(g, "x", STK_DTYPE_F32, stk_shape_2d(ROWS, COLUMNS));
    stk_graph_output(g, "y", stk_tanh(g, stk_relu(g, in)));
    EXPECT_OK(stk_device_open(&f->device, "cuda", NULL, &err));
    EXPECT_OK(stk_variables_new(&f->variables, f->device, 1, &err));
    /* Without capture: a captured run is reported as one. */
    EXPECT_OK(stk_program_compile(&f->program, g, f->variables,
                                  &(stk_program_options){.passes_off = STK_GRAPH_PASS_CAPTURE},
                                  &err));
    stk_graph_free(g);
    feed(f);
    stk_device_synchronize(f->device);
}

static void close_fixture(fixture *f)
{
    stk_program_free(f->program);
    stk_variables_free(f->variables);
    stk_device_free(f->device);
}

static stk_trace *new_trace(stk_trace_level level, stk_trace_thread **thread)
{
    stk_error  err;
    stk_trace *trace;
    EXPECT_OK(stk_trace_new(&trace, &(stk_trace_options){.level = level}, &err));
    EXPECT_OK(stk_trace_attach(trace, "train", thread, &err));
    return trace;
}

static stk_json_document *dump(const stk_trace *trace)
{
    stk_error          err;
    stk_blob           text;
    stk_json_document *doc;
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_trace_dump(trace, &text, &err));
    EXPECT_OK(stk_json_parse(&doc, stk_blob_bytes(&text), "trace", &err));
    stk_blob_release(&text);
    return doc;
}

static const char *text_of(const stk_json_value *object, const char *key)
{
    return stk_json_text(stk_json_get(object, key), "");
}

static double number_of(const stk_json_value *object, const char *key)
{
    return stk_json_number(stk_json_get(object, key), -1);
}

static const stk_json_value *event_at(const stk_json_document *doc, size_t i)
{
    return stk_json_at(stk_json_get(stk_json_root(doc), "traceEvents"), i);
}

static size_t event_count(const stk_json_document *doc)
{
    return stk_json_count(stk_json_get(stk_json_root(doc), "traceEvents"));
}

static int count_events(const stk_json_document *doc, const char *category, const char *phase)
{
    int count = 0;
    for (size_t i = 0; i < event_count(doc); i++)
        count += strcmp(text_of(event_at(doc, i), "cat"), category) == 0 &&
                 strcmp(text_of(event_at(doc, i), "ph"), phase) == 0;
    return count;
}

/* End of the launch with this number. */
static double launch_begin(const stk_json_document *doc, double number)
{
    for (size_t i = 0; i < event_count(doc); i++) {
        const stk_json_value *e = event_at(doc, i);
        if (strcmp(text_of(e, "cat"), "cuda_runtime") == 0 &&
            number_of(stk_json_get(e, "args"), "correlation") == number)
            return number_of(e, "ts");
    }
    return -1;
}

STK_TEST(operations_are_spans_of_the_device_with_a_launch_each)
{
    fixture           f;
    stk_error         err;
    stk_trace_thread *thread;
    stk_trace        *trace = new_trace(STK_TRACE_OPS, &thread);
    open_fixture(&f);
    for (int i = 0; i < RUNS; i++)
        EXPECT_OK(stk_program_run(f.program, thread, &err));
    stk_device_synchronize(f.device);
    stk_json_document *doc = dump(trace);
    EXPECT_INT_EQ(RUNS * OPS, count_events(doc, "kernel", "X"));
    EXPECT_INT_EQ(RUNS * OPS, count_events(doc, "cuda_runtime", "X"));
    int met = 0;
    for (size_t i = 0; i < event_count(doc); i++) {
        const stk_json_value *e = event_at(doc, i), *args = stk_json_get(e, "args");
        if (strcmp(text_of(e, "cat"), "kernel") != 0) continue;
        EXPECT_STR_EQ(met % OPS ? "tanh" : "relu", text_of(e, "name"));
        EXPECT_STR_EQ("native", text_of(args, "kernel"));
        EXPECT(number_of(args, "bytes") > 0);
        const double launched = launch_begin(doc, number_of(args, "correlation"));
        EXPECT(launched >= 0 && number_of(e, "ts") >= launched - 1);
        EXPECT(number_of(e, "ts") < launched + 1e6);
        met++;
    }
    const stk_json_value *devices = stk_json_get(stk_json_root(doc), "deviceProperties");
    EXPECT_STR_EQ("cuda:0", text_of(stk_json_at(devices, 0), "name"));
    stk_json_document_free(doc);
    close_fixture(&f);
    stk_trace_free(trace);
}

STK_TEST(a_run_is_one_span_of_the_device_where_stages_are_recorded)
{
    fixture           f;
    stk_error         err;
    stk_trace_thread *thread;
    stk_trace        *trace = new_trace(STK_TRACE_STAGES, &thread);
    open_fixture(&f);
    for (int i = 0; i < RUNS; i++)
        EXPECT_OK(stk_program_run(f.program, thread, &err));
    feed(&f);
    stk_device_synchronize(f.device);
    stk_json_document *doc = dump(trace);
    EXPECT_INT_EQ(RUNS, count_events(doc, "kernel", "X"));
    EXPECT_INT_EQ(1, count_events(doc, "gpu_memcpy", "X"));
    stk_json_document_free(doc);
    close_fixture(&f);
    stk_trace_free(trace);
}

STK_TEST(times_add_up_without_a_trace)
{
    fixture   f;
    stk_error err;
    open_fixture(&f);
    EXPECT_OK(stk_program_run(f.program, NULL, &err));
    stk_program_time(f.program, true);
    for (int i = 0; i < RUNS; i++)
        EXPECT_OK(stk_program_run(f.program, NULL, &err));
    stk_program_time(f.program, false);
    uint64_t ns = 0;
    for (size_t i = 0; i < stk_program_instruction_count(f.program); i++) {
        const stk_program_instruction step = stk_program_instruction_at(f.program, i);
        EXPECT_INT_EQ(RUNS, step.runs);
        ns += step.nanoseconds;
    }
    const stk_device_times times = stk_device_read_times(f.device);
    EXPECT(times.known && times.work_ns >= ns && ns > 0);
    EXPECT(times.launch_ns >= times.work_ns / 2 && times.copy_ns > 0);
    EXPECT_INT_EQ(RUNS + 1, times.runs);
    close_fixture(&f);
}

STK_TEST(the_device_says_what_it_is)
{
    fixture         f;
    stk_device_info info;
    open_fixture(&f);
    stk_device_read_info(f.device, &info);
    EXPECT(*info.name && info.processors > 0 && info.memory > 0);
    EXPECT(*info.driver && *info.runtime);
    close_fixture(&f);
}

STK_TEST(kernels_that_are_not_told_are_missed_once)
{
    fixture           f;
    stk_error         err, notice;
    stk_trace_thread *thread;
    stk_trace        *trace = new_trace(STK_TRACE_KERNELS, &thread);
    setenv("STOKER_CUPTI", "/no/such/library.so", 1);
    open_fixture(&f);
    for (int i = 0; i < RUNS; i++)
        EXPECT_OK(stk_program_run(f.program, thread, &err));
    EXPECT(stk_device_notice(f.device, &notice));
    EXPECT_CONTAINS("cannot be loaded", notice.message);
    EXPECT_CONTAINS("operations instead of kernels", notice.message);
    EXPECT(!stk_device_notice(f.device, &notice));
    stk_device_synchronize(f.device);
    stk_json_document *doc = dump(trace);
    EXPECT_INT_EQ(RUNS * OPS, count_events(doc, "kernel", "X"));
    stk_json_document_free(doc);
    close_fixture(&f);
    stk_trace_free(trace);
}

#ifdef STK_FAKE_CUPTI
/* Beside this program, wherever both were copied to. */
static const char *fake_cupti(void)
{
    static char path[4096];
    ssize_t     length = readlink("/proc/self/exe", path, sizeof path - 1);
    EXPECT(length > 0);
    path[length] = '\0';
    char *name = strrchr(path, '/') + 1;
    snprintf(name, sizeof path - (size_t)(name - path), "%s", STK_FAKE_CUPTI);
    return path;
}

STK_TEST(who_does_not_permit_it_is_named)
{
    fixture           f;
    stk_error         err, notice;
    stk_trace_thread *thread;
    setenv("STOKER_CUPTI", fake_cupti(), 1);
    for (int old = 0; old < 2; old++) {
        stk_trace *trace = new_trace(STK_TRACE_KERNELS, &thread);
        setenv("FAKE_CUPTI", old ? "old" : "denied", 1);
        open_fixture(&f);
        EXPECT_OK(stk_program_run(f.program, thread, &err));
        EXPECT(stk_device_notice(f.device, &notice));
        EXPECT_CONTAINS(old ? "the oldest that is understood" : "RestrictProfilingToAdminUsers=0",
                        notice.message);
        close_fixture(&f);
        stk_trace_free(trace);
    }
    unsetenv("FAKE_CUPTI");
}

STK_TEST(kernels_have_the_names_and_layers_of_what_began_them)
{
    fixture           f;
    stk_error         err, notice;
    stk_trace_thread *thread;
    stk_trace        *trace = new_trace(STK_TRACE_KERNELS, &thread);
    setenv("STOKER_CUPTI", fake_cupti(), 1);
    open_fixture(&f);
    for (int i = 0; i < RUNS; i++)
        EXPECT_OK(stk_program_run(f.program, thread, &err));
    stk_device_synchronize(f.device);
    EXPECT(!stk_device_notice(f.device, &notice));
    stk_json_document *doc = dump(trace);
    EXPECT_INT_EQ(2 * RUNS * OPS, count_events(doc, "kernel", "X"));
    EXPECT_INT_EQ(RUNS * OPS, count_events(doc, "gpu_memcpy", "X"));
    EXPECT_INT_EQ(RUNS * OPS, count_events(doc, "cuda_runtime", "X"));
    int met = 0;
    for (size_t i = 0; i < event_count(doc); i++) {
        const stk_json_value *e = event_at(doc, i), *args = stk_json_get(e, "args");
        if (strcmp(text_of(e, "cat"), "kernel") != 0) continue;
        EXPECT_STR_EQ(met % 2 ? "stk::apply" : "sm90_gemm", text_of(e, "name"));
        EXPECT_STR_EQ(met / 2 % OPS ? "tanh" : "relu", text_of(args, "kernel"));
        EXPECT(number_of(args, "flops") < 0); /* of a group, so not of its members */
        EXPECT(launch_begin(doc, number_of(args, "correlation")) >= 0);
        met++;
    }
    stk_json_document_free(doc);
    close_fixture(&f);
    stk_trace_free(trace);
}
#endif
