/* Operations of a step by kind: what they take, and how near they are to what the device gives. */
#ifndef CLI_TOOLS_OP_TABLE_H
#define CLI_TOOLS_OP_TABLE_H

#include "terminal.h"

#include <stdio.h>
#include <stoker/profile.h>

/* The longest first; nothing without operations that were timed. */
void cli_op_table_print(FILE *out, const stk_profile *profile, const cli_style *style);

#endif
