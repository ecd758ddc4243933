/* Cost of training, in money and energy. */
#ifndef CLI_TOOLS_COST_TEXT_H
#define CLI_TOOLS_COST_TEXT_H

#include <stdio.h>
#include <stoker/diagnosis.h>

/* Prints one line: the price of an epoch of samples, how much of it is not compute, and the energy
 * per sample if GPUs report power. Nothing for price 0 or an unknown rate. */
void cli_cost_print(FILE *out, const stk_profile *profile, const stk_diagnosis *diagnosis,
                    int64_t samples, double price);

#endif
