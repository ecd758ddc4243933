/* stoker tune --replay: the start and the result of a ledger, measured once more. */
#ifndef CLI_TOOLS_TUNE_REPLAY_H
#define CLI_TOOLS_TUNE_REPLAY_H

#include "command.h"

#include <stoker/tune.h>

/* Prints what it finds; returns an exit code. */
int cli_tune_replay(const cli_invocation *call, const char *path, const stk_tune_options *options,
                    bool json);

#endif
