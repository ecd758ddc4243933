/* Prints a compute step as text and JSON. */
#include "bench_compute_report.h"

#include "format.h"
#include "op_kinds.h"
#include "roofline.h"
#include "table.h"

#include <stdlib.h>

enum { OPERATIONS_SHOWN = 40 };

static double flops_of(const stk_program *program)
{
    double flops = 0;
    for (size_t i = 0; i < stk_program_instruction_count(program); i++)
        flops += stk_program_instruction_at(program, i).flops;
    return flops;
}

static size_t steps_of(const cli_compute_report *report)
{
    return report->count * (size_t)(report->window ? report->window : 1);
}

static double per_second(double amount, double seconds)
{
    return seconds > 0 ? amount / seconds : 0;
}

/* Seconds per run. */
static double time_of(const stk_program_instruction *step)
{
    return step->runs ? (double)step->nanoseconds * 1e-9 / (double)step->runs : 0;
}

static int by_time(const void *a, const void *b)
{
    const double x = time_of(a), y = time_of(b);
    return (x < y) - (x > y);
}

/* Longest first; NULL without memory. */
static stk_program_instruction *list_steps(const stk_program *program, size_t *count,
                                           double *seconds)
{
    *count = stk_program_instruction_count(program);
    stk_program_instruction *list = calloc(*count + 1, sizeof *list);
    *seconds = 0;
    for (size_t i = 0; list && i < *count; i++) {
        list[i] = stk_program_instruction_at(program, i);
        *seconds += time_of(&list[i]);
    }
    if (list) qsort(list, *count, sizeof *list, by_time);
    return list;
}

static void add_number(cli_table *table, const char *format, double value)
{
    char text[48] = "";
    if (value > 0) snprintf(text, sizeof text, format, value);
    cli_table_add(table, text);
}

static cli_roofline roofline_of(const cli_compute_report      *report,
                                const stk_program_instruction *step)
{
    return cli_roofline_of(&report->peaks.limits, step->flops, step->bytes, time_of(step) * 1e9);
}

static void add_step(cli_table *table, const cli_compute_report *report,
                     const stk_program_instruction *step, double all)
{
    const double       seconds = time_of(step);
    const cli_roofline roofline = roofline_of(report, step);
    char               kernel[160], text[CLI_FORMAT_CAPACITY];
    snprintf(kernel, sizeof kernel, "%s%s%s", step->kernel ? step->kernel : "",
             step->detail && *step->detail ? " " : "", step->detail ? step->detail : "");
    cli_table_add(table, step->operation);
    cli_table_add(table, step->name ? step->name : "");
    cli_table_add(table, kernel);
    add_number(table, "%.3f", seconds * 1e3);
    add_number(table, "%.1f %%", 100 * per_second(seconds, all));
    add_number(table, "%.1f", per_second(step->flops, seconds) * 1e-9);
    add_number(table, "%.1f", per_second(step->bytes, seconds) * 1e-9);
    if (cli_peaks_are_known(&report->peaks.limits))
        cli_table_add(table, cli_roofline_format(text, &roofline));
}

static void print_kinds(const cli_compute_report *report, const stk_program *program,
                        const cli_style *style)
{
    const cli_bench_peaks *peaks = &report->peaks;
    const bool             known = cli_peaks_are_known(&peaks->limits);
    cli_op_sum             sums[CLI_OP_KINDS];
    const size_t           count = cli_op_kinds_sum(sums, program, &peaks->limits);
    char                   text[160];
    printf("\n%sKinds of operations%s, the longest first\n", style->bold, style->plain);
    if (known)
        printf("  roofs: %s; measured\n",
               cli_peaks_format(text, sizeof text, &peaks->limits, peaks->precision));
    cli_op_kinds_print(sums, count, known, style);
}

static void print_operations(const cli_compute_report *report, const stk_program *program,
                             const cli_style *style)
{
    static const char *const heading[] = {"operation", "of",      "kernel", "ms",
                                          "share",     "GFLOP/s", "GB/s",   "roof"};
    cli_table                table;
    size_t                   count;
    double                   all;
    stk_program_instruction *list = list_steps(program, &count, &all);
    if (!list) return;
    cli_table_init(&table, cli_peaks_are_known(&report->peaks.limits) ? "llfrrrrl" : "llfrrrr");
    for (int i = 0; i < table.columns; i++)
        cli_table_add(&table, heading[i]);
    for (size_t i = 0; i < count && i < OPERATIONS_SHOWN; i++)
        add_step(&table, report, &list[i], all);
    printf("\n%sOperations%s, the longest first", style->bold, style->plain);
    if (count > OPERATIONS_SHOWN) printf("; %d of %zu", OPERATIONS_SHOWN, count);
    printf("; %.2f ms together\n", all * 1e3);
    cli_table_print(&table, stdout, style);
    cli_table_release(&table);
    free(list);
}

static void print_memory(const stk_memory_plan *plan)
{
    char a[CLI_FORMAT_CAPACITY], b[CLI_FORMAT_CAPACITY], c[CLI_FORMAT_CAPACITY];
    printf("Memory: %s: %s of variables, %s for results",
           cli_format_bytes(a, plan->fixed + plan->arena), cli_format_bytes(b, plan->fixed),
           cli_format_bytes(c, plan->arena));
    printf(" (%s without reuse)", cli_format_bytes(a, plan->without_reuse));
    if (plan->peak_at[0]) printf(", most at %s", plan->peak_at);
    printf("\n ");
    for (int i = 0; i < STK_MEMORY_CLASS_COUNT; i++)
        if (plan->bytes[i])
            printf(" %s %s%s", stk_memory_class_name((stk_memory_class)i),
                   cli_format_bytes(a, plan->bytes[i]), i + 1 < STK_MEMORY_CLASS_COUNT ? "," : "");
    printf(" at the peak\n");
}

void cli_compute_report_print(const cli_compute_report *report, const cli_style *style)
{
    const stk_program    *program = stk_train_bench_program(report->bench);
    const stk_memory_plan plan = stk_program_memory(program);
    const cli_spread     *s = &report->spread;
    const double          batch = (double)report->recipe->data.batch;
    char                  a[CLI_FORMAT_CAPACITY], b[CLI_FORMAT_CAPACITY], c[CLI_FORMAT_CAPACITY];
    printf("%s%.2f ms%s a step (%.2f to %.2f in 80 of 100)  %s img/s  %s/s\n", style->bold,
           s->median * 1e3, style->plain, s->low * 1e3, s->high * 1e3,
           cli_format_count(a, (uint64_t)(per_second(batch, s->median) + 0.5)),
           cli_format_flops(b, per_second(flops_of(program), s->median)));
    printf("  %s, %s, batch %lld, %lld x %lld, %s a step, %zu operations; %s, %d thread%s; median "
           "of %zu steps, compiled in %s\n",
           report->recipe->model.name, report->inference ? "inference" : "training",
           (long long)report->recipe->data.batch, (long long)report->recipe->data.size,
           (long long)report->recipe->data.size, cli_format_flops(b, flops_of(program)),
           stk_program_instruction_count(program), stk_train_bench_backend(report->bench),
           stk_train_bench_threads(report->bench),
           stk_train_bench_threads(report->bench) == 1 ? "" : "s", steps_of(report),
           cli_format_duration(c, report->compile_seconds));
    print_memory(&plan);
    if (report->largest_batch)
        printf("Largest batch: %lld, which takes %s\n", (long long)report->largest_batch,
               cli_format_bytes(a, report->largest_plan.fixed + report->largest_plan.arena));
    if (!report->ops) return;
    print_kinds(report, program, style);
    print_operations(report, program, style);
}

static void write_memory(stk_json_writer *json, const stk_memory_plan *plan)
{
    stk_json_key(json, "memory");
    stk_json_object(json);
    stk_json_pair_uint(json, "variables_bytes", plan->fixed);
    stk_json_pair_uint(json, "arena_bytes", plan->arena);
    stk_json_pair_uint(json, "without_reuse_bytes", plan->without_reuse);
    stk_json_pair_string(json, "peak_at", plan->peak_at);
    for (int i = 0; i < STK_MEMORY_CLASS_COUNT; i++)
        stk_json_pair_uint(json, stk_memory_class_name((stk_memory_class)i), plan->bytes[i]);
    stk_json_object_end(json);
}

static void write_kinds(stk_json_writer *json, const cli_compute_report *report,
                        const stk_program *program)
{
    const stk_machine_peaks *limits = &report->peaks.limits;
    cli_op_sum               sums[CLI_OP_KINDS];
    const size_t             count = cli_op_kinds_sum(sums, program, limits);
    cli_peaks_write(json, limits, report->peaks.precision);
    cli_op_kinds_write(json, sums, count, cli_peaks_are_known(limits));
}

static void write_operations(stk_json_writer *json, const cli_compute_report *report,
                             const stk_program *program)
{
    size_t                   count;
    double                   all;
    stk_program_instruction *list = list_steps(program, &count, &all);
    stk_json_key(json, "operations");
    stk_json_array(json);
    for (size_t i = 0; list && i < count; i++) {
        const cli_roofline roofline = roofline_of(report, &list[i]);
        stk_json_object(json);
        stk_json_pair_string(json, "operation", list[i].operation);
        stk_json_pair_string(json, "name", list[i].name ? list[i].name : "");
        stk_json_pair_string(json, "kernel", list[i].kernel ? list[i].kernel : "");
        stk_json_pair_string(json, "detail", list[i].detail ? list[i].detail : "");
        stk_json_pair_double(json, "ms", time_of(&list[i]) * 1e3);
        stk_json_pair_double(json, "flops", list[i].flops);
        stk_json_pair_double(json, "bytes", list[i].bytes);
        cli_roofline_write(json, &roofline);
        stk_json_object_end(json);
    }
    stk_json_array_end(json);
    free(list);
}

void cli_compute_report_json(stk_json_writer *json, const cli_compute_report *report)
{
    const stk_program    *program = stk_train_bench_program(report->bench);
    const stk_memory_plan plan = stk_program_memory(program);
    const cli_spread     *s = &report->spread;
    stk_json_object(json);
    stk_json_pair_string(json, "model", report->recipe->model.name);
    stk_json_pair_bool(json, "inference", report->inference);
    stk_json_pair_int(json, "batch", report->recipe->data.batch);
    stk_json_pair_int(json, "size", report->recipe->data.size);
    stk_json_pair_int(json, "classes", report->recipe->model.classes);
    stk_json_pair_string(json, "precision",
                         stk_train_recipe_word(report->recipe, "train.precision"));
    stk_json_pair_string(json, "backend", stk_train_bench_backend(report->bench));
    stk_json_pair_int(json, "threads", stk_train_bench_threads(report->bench));
    stk_json_pair_uint(json, "steps", steps_of(report));
    stk_json_pair_int(json, "window", report->window);
    stk_json_pair_double(json, "step_ms", s->median * 1e3);
    stk_json_pair_double(json, "step_ms_p10", s->low * 1e3);
    stk_json_pair_double(json, "step_ms_p90", s->high * 1e3);
    stk_json_pair_double(json, "images_per_s",
                         per_second((double)report->recipe->data.batch, s->median));
    stk_json_pair_double(json, "flops_per_step", flops_of(program));
    stk_json_pair_double(json, "gflops", per_second(flops_of(program), s->median) * 1e-9);
    stk_json_pair_double(json, "compile_s", report->compile_seconds);
    if (report->largest_batch) {
        stk_json_pair_int(json, "largest_batch", report->largest_batch);
        stk_json_pair_uint(json, "largest_batch_bytes",
                           report->largest_plan.fixed + report->largest_plan.arena);
    }
    write_memory(json, &plan);
    if (report->ops) write_kinds(json, report, program);
    if (report->ops) write_operations(json, report, program);
    stk_json_object_end(json);
}
