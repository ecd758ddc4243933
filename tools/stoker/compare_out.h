/* Output of stoker compare. */
#ifndef CLI_TOOLS_COMPARE_OUT_H
#define CLI_TOOLS_COMPARE_OUT_H

#include "compare_item.h"
#include "terminal.h"

#include <stoker/json.h>

/* As text, to stdout. */
void cli_compare_print(const cli_compare_item *items, size_t count, const cli_style *style);
/* As one JSON object. */
void cli_compare_json(stk_json_writer *json, const cli_compare_item *items, size_t count);

#endif
