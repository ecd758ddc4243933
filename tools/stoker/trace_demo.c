/* stoker trace demo: a minimal timeline of one matrix product. */
#include "json_out.h"
#include "spread.h"

#include <stdlib.h>
#include <stoker/ops.h>
#include <stoker/profile.h>
#include <stoker/program.h>
#include <stoker/trace_file.h>

typedef struct values {
    const char *file, *backend;
    int64_t     threads;
    bool        json;
} values;

static const values defaults = {.file = "demo.json.gz"};

static const cli_option options[] = {
    {CLI_OPTION(values, file, "output", FILE, "FILE"), .letter = 'o', .group = "Output",
     .help = "the trace; .gz is compressed (default demo.json.gz)"},
    {CLI_OPTION(values, backend, "backend", TEXT, "B"), .group = "Machine",
     .help = "what computes: cuda, cpu or ref (default: the fastest there is)"},
    {CLI_OPTION(values, threads, "threads", INTEGER, "N"), .least = 0, .most = 4096,
     .group = "Machine", .help = "that compute (default: one per core)"},
    {CLI_OPTION(values, json, "json", FLAG, NULL), .group = "Common",
     .help = "print the result as JSON"},
};

enum { ROWS = 2000, INNER = 5000, COLUMNS = 1000 };
static const double product_flops = 2.0 * ROWS * INNER * COLUMNS;

typedef struct demo {
    stk_device       *device;
    stk_variables    *variables;
    stk_program      *program;
    stk_trace        *trace;
    stk_trace_thread *thread;
    float            *a, *b, *c;
    double            seconds; /* of the product */
    stk_machine_peaks peaks;   /* of the cores */
    stk_trace_written written;
} demo;

static stk_status compile(demo *d, const values *v, stk_error *err)
{
    const stk_device_options how = {.threads = (int)v->threads};
    stk_graph               *graph;
    STK_TRY(stk_device_open(&d->device, v->backend, &how, err));
    STK_TRY(stk_variables_new(&d->variables, d->device, 1, err));
    STK_TRY(stk_graph_new(&graph, NULL, err));
    stk_symbol a = stk_graph_input(graph, "a", STK_DTYPE_F32, stk_shape_2d(ROWS, INNER));
    stk_symbol b = stk_graph_input(graph, "b", STK_DTYPE_F32, stk_shape_2d(INNER, COLUMNS));
    stk_graph_push_scope(graph, "demo");
    stk_graph_output(graph, "c", stk_matmul(graph, a, b, NULL));
    stk_graph_pop_scope(graph);
    const stk_status st = stk_program_compile(&d->program, graph, d->variables, NULL, err);
    stk_graph_free(graph);
    return st;
}

static stk_status make_matrices(demo *d, stk_error *err)
{
    d->a = malloc(sizeof *d->a * ROWS * INNER);
    d->b = malloc(sizeof *d->b * INNER * COLUMNS);
    d->c = malloc(sizeof *d->c * ROWS * COLUMNS);
    if (!d->a || !d->b || !d->c)
        return stk_fail(err, STK_E_NOMEM, "trace", "demo", "no memory for three matrices");
    for (size_t i = 0; i < (size_t)ROWS * INNER; i++)
        d->a[i] = (float)(i % 17) / 16;
    for (size_t i = 0; i < (size_t)INNER * COLUMNS; i++)
        d->b[i] = (float)(i % 13) / 12;
    return STK_OK;
}

static stk_status feed(demo *d, stk_error *err)
{
    STK_TRY(stk_program_feed(d->program, "a", d->a, sizeof *d->a * ROWS * INNER, err));
    return stk_program_feed(d->program, "b", d->b, sizeof *d->b * INNER * COLUMNS, err);
}

/* A step as in training: upload, compute, download. */
static stk_status traced_step(demo *d, stk_error *err)
{
    const uint64_t step = stk_trace_now();
    uint64_t       begin = step;
    STK_TRY(feed(d, err));
    stk_span_end(d->thread, STK_STAGE_HOST_TO_DEVICE, "copy to device", begin, 0);
    begin = stk_trace_now();
    const double from = cli_seconds_now();
    STK_TRY(stk_program_run(d->program, d->thread, err));
    d->seconds = cli_seconds_now() - from;
    stk_span_end(d->thread, STK_STAGE_COMPUTE, "compute", begin, 0);
    begin = stk_trace_now();
    STK_TRY(stk_program_fetch(d->program, "c", d->c, sizeof *d->c * ROWS * COLUMNS, err));
    stk_span_end(d->thread, STK_STAGE_DEVICE_TO_HOST, "fetch", begin, 0);
    stk_trace_record_step(d->thread, 0, step);
    return STK_OK;
}

/* Measured before and after, since other programs may use the cores. */
static void probe(demo *d)
{
    stk_machine_peaks limits = {-1, -1, -1, -1, -1, -1};
    stk_profile_probe(&limits, stk_device_threads(d->device), NULL);
    if (limits.flops > d->peaks.flops) d->peaks.flops = limits.flops;
    if (limits.memory_bytes > d->peaks.memory_bytes) d->peaks.memory_bytes = limits.memory_bytes;
}

/* The first run is not recorded: it touches new memory. */
static stk_status measure(demo *d, const values *v, stk_error *err)
{
    STK_TRY(compile(d, v, err));
    STK_TRY(make_matrices(d, err));
    STK_TRY(feed(d, err));
    STK_TRY(stk_program_run(d->program, NULL, err));
    STK_TRY(stk_trace_new(&d->trace, NULL, err));
    STK_TRY(stk_trace_attach(d->trace, "demo", &d->thread, err));
    probe(d);
    STK_TRY(traced_step(d, err));
    probe(d);
    const stk_trace_file_options how = {.format.peaks = &d->peaks};
    return stk_trace_write(d->trace, NULL, v->file, &how, &d->written, err);
}

static void print_text(const demo *d, const values *v)
{
    printf("%d x %d by %d x %d on %s, %d threads: %.2f GFLOP in %.1f ms\n", ROWS, INNER, INNER,
           COLUMNS, stk_device_name(d->device), stk_device_threads(d->device), product_flops / 1e9,
           d->seconds * 1e3);
    const double rate = product_flops / d->seconds;
    printf("%.1f GFLOP/s", rate / 1e9);
    if (d->peaks.flops >= rate)
        printf(", %.0f %% of the %.0f GFLOP/s that these cores can do", 100 * rate / d->peaks.flops,
               d->peaks.flops / 1e9);
    else if (d->peaks.flops > 0)
        printf("; a probe of the cores came to %.0f, so something else uses them",
               d->peaks.flops / 1e9);
    printf("\ntrace: %s; open it in Perfetto or chrome://tracing\n", v->file);
}

static int print_json(const demo *d, const cli_invocation *call)
{
    const values *v = call->values;
    cli_json_out  out;
    cli_json_out_begin(&out);
    stk_json_object(&out.writer);
    stk_json_pair_string(&out.writer, "trace", v->file);
    stk_json_pair_string(&out.writer, "backend", stk_device_name(d->device));
    stk_json_pair_int(&out.writer, "threads", stk_device_threads(d->device));
    stk_json_pair_double(&out.writer, "seconds", d->seconds);
    stk_json_pair_double(&out.writer, "flop", product_flops);
    stk_json_pair_double(&out.writer, "flop_per_s", product_flops / d->seconds);
    if (d->peaks.flops > 0) stk_json_pair_double(&out.writer, "peak_flop_per_s", d->peaks.flops);
    stk_json_object_end(&out.writer);
    return cli_json_out_end(&out, call);
}

static void release(demo *d)
{
    stk_program_free(d->program);
    stk_variables_free(d->variables);
    stk_device_free(d->device);
    stk_trace_free(d->trace);
    free(d->a);
    free(d->b);
    free(d->c);
}

static int run(const cli_invocation *call)
{
    const values *v = call->values;
    demo          d = {0};
    stk_error     err;
    int           code = CLI_EXIT_OK;
    if (measure(&d, v, &err))
        code = cli_report_error(call->command, &err, NULL);
    else if (v->json)
        code = print_json(&d, call);
    else
        print_text(&d, v);
    release(&d);
    return code;
}

const cli_command cli_command_trace_demo = {
    .name = "trace demo",
    .summary = "one matrix product, traced: the smallest timeline there is",
    .operands = "",
    .description = "Multiplies a matrix of 2000 x 5000 by one of 5000 x 1000, 20 GFLOP, once to "
                   "warm up and once recorded, and tells how close that came to what the machine "
                   "can do. The trace has one step with one operation.",
    .examples = "stoker trace demo\n"
                "stoker trace demo -o matmul.json --threads 1",
    .least_operands = 0,
    .most_operands = 0,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .defaults = &defaults,
    .value_bytes = sizeof defaults,
    .run = run,
};
