/* --trace SPEC of training commands. */
#ifndef CLI_TOOLS_TRAIN_TRACE_H
#define CLI_TOOLS_TRAIN_TRACE_H

#include "command.h"

#include <stoker/tracer.h>
#include <stoker/train.h>

#define CLI_TRACE_OPTION(type, field)                                                              \
    {                                                                                              \
        CLI_OPTION(type, field, "trace", TEXT, "SPEC"),                                            \
            .group = "Output",                                                                     \
            .help = "record a timeline: 'on', or parts such as steps=20-24,level=2 (below)"        \
    }

/* Starts a tracer by spec for a run in folder. Without a spec: if listen, a tracer that waits for
 * requests, else *out is NULL. Returns an exit code; errors are reported. log may be NULL. */
int cli_train_trace_start(stk_tracer **out, const cli_invocation *call, const char *spec,
                          const stk_train_recipe *recipe, const char *folder, bool listen,
                          void (*log)(void *context, const char *line), void *log_context);
/* For the trainer, which must end before the tracer. */
stk_callback cli_train_trace_callback(stk_tracer *tracer);

/* Writes the rest after the last step; NULL is fine. Reports a failure and returns false. */
bool cli_train_trace_end(stk_tracer *tracer, const cli_invocation *call);

/* Prints the parts of a spec for --help. */
void cli_train_trace_print(FILE *out, int width);

#endif
