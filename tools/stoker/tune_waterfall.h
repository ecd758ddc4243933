/* From the start of a search to its result, a bar a kept change. */
#ifndef CLI_TOOLS_TUNE_WATERFALL_H
#define CLI_TOOLS_TUNE_WATERFALL_H

#include "terminal.h"

#include <stoker/tune.h>

/* Nothing without a kept change or a rate at the start. */
void cli_tune_waterfall_print(FILE *out, const stk_tune_report *report, const cli_style *style);
/* The gain of all kept changes, each as its trial measured it. */
double cli_tune_product(const stk_tune_report *report);

#endif
