/* Times operations in place: a recipe cannot run without one of them, since later operations may
 * need its result. */
#include "bench_timed.h"

#include "format.h"
#include "operation_table.h"

/* CPU microseconds per sample over all operators. */
static double total_us(const cli_bench_result *r)
{
    return r->samples ? r->cpu_seconds / (double)r->samples * 1e6 : 0;
}

static double rate(const cli_bench_result *r)
{
    return r->seconds > 0 ? (double)r->samples / r->seconds : 0;
}

void cli_timed_print(const cli_bench_result *result, const cli_style *style)
{
    const stk_iterator_report *report = &result->report;
    char                       text[CLI_FORMAT_CAPACITY];
    printf("%s%s samples/s%s  %.2f us of a core for a sample, with reading and batching\n",
           style->bold, cli_format_count(text, (uint64_t)(rate(result) + 0.5)), style->plain,
           total_us(result));
    if (report->operation_count)
        cli_operation_table_print(report->operations, report->operation_count, style);
    else
        printf("\nno function ran: there is nothing to tell apart\n");
}

void cli_timed_write_json(stk_json_writer *json, const cli_bench_result *result)
{
    const stk_iterator_report *report = &result->report;
    stk_json_object(json);
    stk_json_pair_string(json, "path", result->path);
    stk_json_pair_double(json, "samples_per_s", rate(result));
    stk_json_pair_double(json, "samples_per_core_s",
                         result->cpu_seconds > 0 ? (double)result->samples / result->cpu_seconds
                                                 : 0);
    stk_json_pair_double(json, "total_us", total_us(result));
    cli_operation_table_json(json, report->operations, report->operation_count);
    stk_json_object_end(json);
}
