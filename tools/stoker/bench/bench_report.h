/* Output of stoker bench input. */
#ifndef CLI_TOOLS_BENCH_REPORT_H
#define CLI_TOOLS_BENCH_REPORT_H

#include "terminal.h"

#include <stoker/iterator.h>
#include <stoker/json.h>

/* One run of a pipeline. */
typedef struct cli_bench_result {
    const char         *path;
    const char         *ended;       /* "time", "elements", "end of data", "interrupted" */
    uint64_t            samples;     /* in all elements; equal to elements without batches */
    double              seconds;     /* spent drawing elements */
    double              cpu_seconds; /* of all threads, since the start */
    bool                images;      /* samples are images */
    stk_iterator_report report;
} cli_bench_result;

/* As text, to stdout. */
void cli_bench_print(const cli_bench_result *result, const cli_style *style);

/* Writes "warnings": those of lint. */
void cli_bench_write_warnings(stk_json_writer *json, const stk_warning *warnings, size_t count);
/* As a JSON object, with lint's warnings. */
void cli_bench_write_json(stk_json_writer *json, const cli_bench_result *result,
                          const stk_warning *warnings, size_t warning_count);

#endif
