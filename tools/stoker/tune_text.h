/* Prints a search: a row a trial while it goes on, and all of it at the end. */
#ifndef CLI_TOOLS_TUNE_TEXT_H
#define CLI_TOOLS_TUNE_TEXT_H

#include "terminal.h"

#include <stoker/tune.h>

/* What was gained, a bar a kept change, what was dropped and why, advice, the setting to take. */
void cli_tune_print(FILE *out, const stk_tune_report *report, const cli_style *style);

/* A table that grows: its heading, then a row as each trial finishes. No row is wider than the
 * terminal, of 60 columns at least. */
void cli_tune_trial_header(FILE *out, const cli_style *style);
void cli_tune_trial_row(FILE *out, const stk_tune_trial *trial, const cli_style *style);

#endif
