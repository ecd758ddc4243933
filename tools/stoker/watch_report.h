/* Output of stoker watch: lines during the run, and the summary. */
#ifndef CLI_TOOLS_WATCH_REPORT_H
#define CLI_TOOLS_WATCH_REPORT_H

#include "terminal.h"
#include "watch_metric.h"

#include <stoker/usage.h>

typedef struct cli_watch_report {
    const char             *title;
    const stk_machine_info *machine;
    const stk_usage        *usage;
    const char             *note;
    const char             *pattern; /* of the metric; NULL: none */
    cli_metric_values       metric;
    double                  own_cores; /* used by watching itself */
    int                     exit_code; /* of the command; -1: none */
    int                     signal_number;
} cli_watch_report;

/* Prints one line: the means of samples. */
void cli_watch_line(FILE *out, const stk_resource_sample *samples, size_t count,
                    const cli_metric_values *metric);
void cli_watch_print(FILE *out, const cli_watch_report *report, const cli_style *style);
void cli_watch_json(stk_json_writer *json, const cli_watch_report *report);

#endif
