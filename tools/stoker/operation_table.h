/* Cost of the functions of fused operators, most expensive first. */
#ifndef CLI_OPERATION_TABLE_H
#define CLI_OPERATION_TABLE_H

#include "terminal.h"

#include <stoker/iterator.h>
#include <stoker/json.h>
#include <stoker/profile.h>

/* Prints nothing if there are none. */
void cli_operation_table_print(const stk_function_stats *list, size_t count,
                               const cli_style *style);
/* Writes "operations": [...] into the open object. */
void cli_operation_table_json(stk_json_writer *json, const stk_function_stats *list, size_t count);
/* Operations of a profile; returns how many. */
size_t cli_operation_table_of(const stk_profile *profile,
                              stk_function_stats list[STK_PROFILE_INPUT_OPS]);

#endif
