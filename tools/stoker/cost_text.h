/* What training costs, in money and energy. */
#ifndef CLI_TOOLS_COST_TEXT_H
#define CLI_TOOLS_COST_TEXT_H

#include <stdio.h>
#include <stoker/diagnosis.h>

/* One line: an epoch of samples at price an hour, and how much of it is not compute; the energy of
 * a sample where GPUs tell their power. Nothing for price 0, or where no rate is known. */
void cli_cost_print(FILE *out, const stk_profile *profile, const stk_diagnosis *diagnosis,
                    int64_t samples, double price);

#endif
