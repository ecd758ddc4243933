/* What the machine gives right now, by computations that never change: arithmetic in registers,
 * traffic to memory, and threads that wait for each other. Beside the rate of a program they tell a
 * slow program from a slow machine. The last one tells of other programs on the same cores: they
 * cost threads that meet at barriers, as those of a training step do, many times what they take. */
#ifndef CLI_TOOLS_YARDSTICK_H
#define CLI_TOOLS_YARDSTICK_H

#include <stoker/rate_comparison.h>

/* "arithmetic", "memory", "together": a literal. */
const char *cli_yardstick_name(int yardstick);

/* Measures each on so many threads of the host for so long: pieces of work per second, of all
 * threads together. */
STK_NODISCARD stk_status cli_yardstick_measure(int threads, double seconds,
                                               double rates[STK_RATE_YARDSTICKS], stk_error *err);

#endif
