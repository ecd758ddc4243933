/* Time of a step by stage. */
#ifndef CLI_TOOLS_STAGE_TABLE_H
#define CLI_TOOLS_STAGE_TABLE_H

#include "terminal.h"

#include <stoker/json.h>
#include <stoker/profile.h>

/* Prints compute and every stage above 1 % of the time to stdout; nothing without steps. */
void cli_stage_table_print(const stk_profile *profile, const cli_style *style);
/* Writes "measured" and "stages", all of them, into the open object. */
void cli_stage_table_json(stk_json_writer *json, const stk_profile *profile);

#endif
