/* The cost of observing, as a line. */
#ifndef CLI_TOOLS_PROFILE_OVERHEAD_H
#define CLI_TOOLS_PROFILE_OVERHEAD_H

#include <stdio.h>
#include <stoker/profile.h>

/* A line, or why there is none. */
void cli_profile_print_overhead(FILE *out, const stk_profile *profile);

#endif
