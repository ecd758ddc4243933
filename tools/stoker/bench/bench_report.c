/* Prints the report of stoker bench as text and JSON. */
#include "bench_report.h"

#include "format.h"
#include "operation_table.h"
#include "table.h"
#include "text.h"

#include <inttypes.h>
#include <string.h>

static size_t stages_of(const stk_iterator_report *report)
{
    const size_t capacity = sizeof report->stages / sizeof *report->stages;
    return report->stage_count < capacity ? report->stage_count : capacity;
}

static size_t decisions_of(const stk_iterator_report *report)
{
    const size_t capacity = sizeof report->decisions / sizeof *report->decisions;
    return report->decision_count < capacity ? report->decision_count : capacity;
}

static double per_second(uint64_t count, double seconds)
{
    return seconds > 0 ? (double)count / seconds : 0;
}

static void print_rates(const cli_bench_result *result, const cli_style *style)
{
    const stk_iterator_report *report = &result->report;
    char a[CLI_FORMAT_CAPACITY], b[CLI_FORMAT_CAPACITY], c[CLI_FORMAT_CAPACITY];
    printf("%s%s samples/s%s  %s", style->bold,
           cli_format_count(a, (uint64_t)(per_second(result->samples, result->seconds) + 0.5)),
           style->plain, cli_format_rate(b, report->bytes, result->seconds));
    if (result->samples != report->elements)
        printf(
            "  %s batches/s",
            cli_format_count(c, (uint64_t)(per_second(report->elements, result->seconds) + 0.5)));
    printf("\n  %s samples in %s", cli_format_count(a, result->samples),
           cli_format_duration(b, result->seconds));
    printf(", first element after %.1f ms, %d thread%s; ended by: %s\n",
           report->first_seconds * 1e3, report->threads, report->threads == 1 ? "" : "s",
           result->ended);
    if (result->images && result->cpu_seconds > 0)
        printf("  %s img/s per core: %.2f cores were busy\n",
               cli_format_count(a, (uint64_t)((double)result->samples / result->cpu_seconds + 0.5)),
               result->cpu_seconds / result->seconds);
}

static void add_percent(cli_table *table, uint64_t ns, double seconds)
{
    char text[32] = "";
    if (ns) snprintf(text, sizeof text, "%.0f %%", seconds > 0 ? (double)ns * 1e-7 / seconds : 0);
    cli_table_add(table, text);
}

/* Self time per element. */
static const char *each(char *text, size_t capacity, const stk_operator_stats *stage)
{
    const double ns = stage->items ? (double)stage->busy_ns / (double)stage->items : 0;
    if (ns < 10e3)
        snprintf(text, capacity, "%.0f ns", ns);
    else if (ns < 10e6)
        snprintf(text, capacity, "%.0f us", ns * 1e-3);
    else
        snprintf(text, capacity, "%.0f ms", ns * 1e-6);
    return text;
}

static void add_stage(cli_table *table, const stk_operator_stats *stage, double seconds)
{
    char text[CLI_FORMAT_CAPACITY * 2] = "", count[CLI_FORMAT_CAPACITY];
    cli_table_add(table, stage->stage == STK_STAGE_READ ? "S1" : "S2");
    cli_table_add(table, stage->name);
    cli_table_add(table, cli_format_count(count, stage->items));
    add_percent(table, stage->busy_ns, seconds);
    cli_table_add(table, each(text, sizeof text, stage));
    add_percent(table, stage->starved_ns, seconds);
    add_percent(table, stage->blocked_ns, seconds);
    text[0] = 0;
    if (stage->runs_ahead)
        snprintf(text, sizeof text, "%.0f/%" PRIu64, stage->queue_mean, stage->queue_limit);
    cli_table_add(table, text);
}

static void print_stages(const cli_bench_result *result, const cli_style *style)
{
    static const char *const heading[] = {"",     "stage",   "elements", "busy",
                                          "each", "starved", "full",     "queue"};
    cli_table                table;
    cli_table_init(&table, "lfrrrrrr");
    for (size_t i = 0; i < sizeof heading / sizeof *heading; i++)
        cli_table_add(&table, heading[i]);
    for (size_t i = 0; i < stages_of(&result->report); i++)
        add_stage(&table, &result->report.stages[i], result->report.seconds);
    printf("\n%sStages%s, source first; 100 %% is one thread all the time\n", style->bold,
           style->plain);
    cli_table_print(&table, stdout, style);
    cli_table_release(&table);
}

static void print_decisions(const stk_iterator_report *report, const cli_style *style)
{
    if (!report->decision_count) return;
    char   count[CLI_FORMAT_CAPACITY];
    size_t kept = 0;
    for (size_t i = 0; i < decisions_of(report); i++)
        kept += report->decisions[i].kept;
    printf("\n%sAutotune%s: %s change%s tried, %zu kept\n", style->bold, style->plain,
           cli_format_count(count, report->decision_count), report->decision_count == 1 ? "" : "s",
           kept);
    for (size_t i = 0; i < decisions_of(report); i++) {
        const stk_decision *one = &report->decisions[i];
        if (one->kept)
            printf("  %.1f s  %s %g -> %g: %s\n", one->time_s, one->knob, one->from, one->to,
                   one->evidence);
    }
}

void cli_bench_print(const cli_bench_result *result, const cli_style *style)
{
    const stk_iterator_report *report = &result->report;
    char                       a[CLI_FORMAT_CAPACITY], b[CLI_FORMAT_CAPACITY];
    print_rates(result, style);
    print_stages(result, style);
    cli_operation_table_print(report->operations, report->operation_count, style);
    print_decisions(report, style);
    printf("\n%sMemory%s: %s at most, of %s allowed\n", style->bold, style->plain,
           cli_format_bytes(a, report->memory.peak_bytes),
           cli_format_bytes(b, report->memory.ceiling_bytes));
    printf("%sLimit%s: ", style->bold, style->plain);
    cli_text_print(stdout, report->limit);
    printf("\n");
}

static void write_stages(stk_json_writer *json, const stk_iterator_report *report)
{
    stk_json_key(json, "stages");
    stk_json_array(json);
    for (size_t i = 0; i < stages_of(report); i++) {
        const stk_operator_stats *stage = &report->stages[i];
        stk_json_object(json);
        stk_json_pair_string(json, "name", stage->name);
        stk_json_pair_string(json, "stage", stage->stage == STK_STAGE_READ ? "S1" : "S2");
        stk_json_pair_int(json, "depth", stage->depth);
        stk_json_pair_uint(json, "elements", stage->items);
        stk_json_pair_uint(json, "bytes", stage->bytes);
        stk_json_pair_uint(json, "errors", stage->errors);
        stk_json_pair_double(json, "busy_s", (double)stage->busy_ns * 1e-9);
        stk_json_pair_double(json, "starved_s", (double)stage->starved_ns * 1e-9);
        stk_json_pair_double(json, "blocked_s", (double)stage->blocked_ns * 1e-9);
        stk_json_pair_bool(json, "runs_ahead", stage->runs_ahead);
        stk_json_pair_double(json, "queue_mean", stage->queue_mean);
        stk_json_pair_double(json, "queue_empty", stage->queue_empty);
        stk_json_pair_double(json, "queue_full", stage->queue_full);
        stk_json_pair_uint(json, "queue_limit", stage->queue_limit);
        stk_json_pair_uint(json, "device_items", stage->device_items);
        stk_json_object_end(json);
    }
    stk_json_array_end(json);
}

static void write_decisions(stk_json_writer *json, const stk_iterator_report *report)
{
    stk_json_key(json, "decisions");
    stk_json_array(json);
    for (size_t i = 0; i < decisions_of(report); i++) {
        const stk_decision *one = &report->decisions[i];
        stk_json_object(json);
        stk_json_pair_double(json, "time_s", one->time_s);
        stk_json_pair_string(json, "knob", one->knob);
        stk_json_pair_double(json, "from", one->from);
        stk_json_pair_double(json, "to", one->to);
        stk_json_pair_bool(json, "kept", one->kept);
        stk_json_pair_string(json, "evidence", one->evidence);
        stk_json_object_end(json);
    }
    stk_json_array_end(json);
}

static void write_io(stk_json_writer *json, const stk_iterator_io_stats *io)
{
    stk_json_key(json, "io");
    stk_json_object(json);
    stk_json_pair_string(json, "backend", io->backend);
    stk_json_pair_uint(json, "requests", io->requests);
    stk_json_pair_uint(json, "bytes", io->bytes);
    stk_json_pair_double(json, "latency_ms",
                         io->requests ? (double)io->latency_ns * 1e-6 / (double)io->requests : 0);
    stk_json_pair_int(json, "in_flight_peak", io->in_flight_peak);
    stk_json_object_end(json);
}

void cli_bench_write_warnings(stk_json_writer *json, const stk_warning *warnings, size_t count)
{
    stk_json_key(json, "warnings");
    stk_json_array(json);
    for (size_t i = 0; i < count; i++) {
        stk_json_object(json);
        stk_json_pair_string(json, "rule", warnings[i].rule);
        stk_json_pair_string(json, "stage", warnings[i].stage);
        stk_json_pair_string(json, "message", warnings[i].message);
        stk_json_object_end(json);
    }
    stk_json_array_end(json);
}

void cli_bench_write_json(stk_json_writer *json, const cli_bench_result *result,
                          const stk_warning *warnings, size_t warning_count)
{
    const stk_iterator_report *report = &result->report;
    stk_json_object(json);
    stk_json_pair_string(json, "path", result->path);
    stk_json_pair_string(json, "ended", result->ended);
    stk_json_pair_uint(json, "samples", result->samples);
    stk_json_pair_uint(json, "elements", report->elements);
    stk_json_pair_uint(json, "bytes", report->bytes);
    stk_json_pair_double(json, "seconds", result->seconds);
    stk_json_pair_double(json, "samples_per_s", per_second(result->samples, result->seconds));
    stk_json_pair_double(json, "mb_per_s", per_second(report->bytes, result->seconds) * 1e-6);
    stk_json_pair_double(json, "first_element_ms", report->first_seconds * 1e3);
    stk_json_pair_int(json, "threads", report->threads);
    stk_json_pair_double(json, "cpu_seconds", result->cpu_seconds);
    stk_json_pair_double(json, "samples_per_core_s",
                         per_second(result->samples, result->cpu_seconds));
    write_stages(json, report);
    cli_operation_table_json(json, report->operations, report->operation_count);
    write_io(json, &report->io);
    stk_json_pair_uint(json, "memory_peak_bytes", report->memory.peak_bytes);
    stk_json_pair_uint(json, "memory_ceiling_bytes", report->memory.ceiling_bytes);
    write_decisions(json, report);
    stk_json_pair_string(json, "limit", report->limit);
    cli_bench_write_warnings(json, warnings, warning_count);
    stk_json_object_end(json);
}
