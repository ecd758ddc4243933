/* Cost of each operation of a recipe, timed during the run. */
#ifndef CLI_TOOLS_BENCH_TIMED_H
#define CLI_TOOLS_BENCH_TIMED_H

#include "bench_report.h"

/* As text, to stdout. */
void cli_timed_print(const cli_bench_result *result, const cli_style *style);
/* As a JSON object, with the keys of --ablate. */
void cli_timed_write_json(stk_json_writer *json, const cli_bench_result *result);

#endif
