/* CSV log of stoker watch: a row per second, a column per metric. */
#ifndef CLI_TOOLS_WATCH_CSV_H
#define CLI_TOOLS_WATCH_CSV_H

#include <stdio.h>
#include <stoker/resources.h>

enum { CLI_CSV_COLUMNS = 19 + 10 * STK_RESOURCES_GPUS };

typedef struct cli_csv {
    FILE  *file; /* NULL: not open */
    double interval_s, next_s;
    int    gpu_count;
    double sums[CLI_CSV_COLUMNS];
    int    counts[CLI_CSV_COLUMNS];
    bool   has_metric; /* has the user's metric as last column */
    double metric_sum;
    int    metric_count;
} cli_csv;

/* Writes the heading. */
STK_NODISCARD stk_status cli_csv_open(cli_csv *csv, const char *path, double interval_s,
                                      int gpu_count, bool has_metric, stk_error *err);
/* Writes a row when due: means of the samples since the last row. Unknown values are empty. */
void cli_csv_add(cli_csv *csv, const stk_resource_sample *sample);
/* Adds a value of the metric; a row has their mean. */
void cli_csv_add_metric(cli_csv *csv, double value);
/* STK_E_IO if a write failed. */
STK_NODISCARD stk_status cli_csv_close(cli_csv *csv, const char *path, stk_error *err);

#endif
