/* Operations of a step by kind: their time, and how near they are to the device's peaks. */
#ifndef CLI_TOOLS_OP_TABLE_H
#define CLI_TOOLS_OP_TABLE_H

#include "terminal.h"

#include <stdio.h>
#include <stoker/profile.h>

/* Longest first; nothing without timed operations. */
void cli_op_table_print(FILE *out, const stk_profile *profile, const cli_style *style);

#endif
