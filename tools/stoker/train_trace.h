/* --trace SPEC of the commands that train. */
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

/* Starts a tracer by spec, for a run by recipe in folder; without a spec it records nothing until
 * it is asked to where listen says so, else *out is NULL. Gives an exit code, and has told why when
 * it is not CLI_EXIT_OK. log may be NULL. */
int cli_train_trace_start(stk_tracer **out, const cli_invocation *call, const char *spec,
                          const stk_train_recipe *recipe, const char *folder, bool listen,
                          void (*log)(void *context, const char *line), void *log_context);
/* For the trainer, which must end before the tracer. */
stk_callback cli_train_trace_callback(stk_tracer *tracer);

/* Writes what is to be written, after the last step; NULL is fine. A trace that could not be
 * written is told; false then. */
bool cli_train_trace_end(stk_tracer *tracer, const cli_invocation *call);

/* The parts of a spec, for --help. */
void cli_train_trace_print(FILE *out, int width);

#endif
