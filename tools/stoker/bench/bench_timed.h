/* What each operation of a recipe costs: timed while it runs. */
#ifndef CLI_TOOLS_BENCH_TIMED_H
#define CLI_TOOLS_BENCH_TIMED_H

#include "bench_report.h"

/* For people, to stdout. */
void cli_timed_print(const cli_bench_result *result, const cli_style *style);
/* As one JSON object, with the keys that --ablate has for presets. */
void cli_timed_write_json(stk_json_writer *json, const cli_bench_result *result);

#endif
