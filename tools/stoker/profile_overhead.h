/* What observing costs, by blocks of steps with it and without in turn. */
#ifndef CLI_TOOLS_PROFILE_OVERHEAD_H
#define CLI_TOOLS_PROFILE_OVERHEAD_H

#include <stdio.h>
#include <stoker/train_bench.h>

/* Fills levels 0 (the meter) to 2 (operations) in about seconds. trace is the bench's own. */
STK_NODISCARD stk_status cli_profile_measure_overhead(stk_profile *profile, stk_train_bench *bench,
                                                      stk_trace *trace, double seconds,
                                                      stk_error *err);
/* A line, or why there is none. */
void cli_profile_print_overhead(FILE *out, const stk_profile *profile);

#endif
