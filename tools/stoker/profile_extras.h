/* What a profile has beside the run itself: times of operations, other batches, what observing
 * costs, what the machine gives. Measured after the run, so that it does not disturb it. */
#ifndef CLI_TOOLS_PROFILE_EXTRAS_H
#define CLI_TOOLS_PROFILE_EXTRAS_H

#include "train_job.h"

#include <stoker/diagnosis.h>
#include <stoker/lint.h>

/* Fills ops, batches, overhead, limits and largest_batch in about seconds, and lints (which begin
 * as zeros). What cannot be measured is told on stderr and left open: the rest of the profile is
 * good without. */
void cli_profile_add_extras(stk_profile *profile, stk_lint_list *lints, const cli_train_job *job,
                            double seconds, const cli_invocation *call);

#endif
