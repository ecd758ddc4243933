/* What each operation of a recipe costs: timed while it runs. */
#ifndef STK_TOOLS_BENCH_TIMED_H
#define STK_TOOLS_BENCH_TIMED_H

#include "bench_report.h"

/* For people, to stdout. */
void stk_timed_print(const stk_bench_result *result, const stk_style *style);
/* As one JSON object, with the keys that --ablate has for presets. */
void stk_timed_write_json(stk_json_writer *json, const stk_bench_result *result);

#endif
