/* --trace SPEC: a tracer beside a run. */
#include "train_trace.h"

#include "text.h"

#include <stdio.h>
#include <string.h>

/* Kernels are told by a GPU; without one, operations are all there is, and nobody should believe to
 * have seen more. */
static stk_status check_level(const stk_tracer_plan *plan, const char *backend, stk_error *err)
{
    if (!*backend || strcmp(backend, "auto") == 0) backend = stk_backend_fastest();
    if (plan->level < STK_TRACE_KERNELS || strcmp(backend, "cuda") == 0) return STK_OK;
    return stk_fail(err, STK_E_UNSUPPORTED, "trace", "level=3",
                    "is what a GPU tells of its kernels, and the backend %s has none; level=2 has "
                    "every operation",
                    backend);
}

int stk_train_trace_start(stk_tracer **out, const stk_invocation *call, const char *spec,
                          const stk_train_recipe *recipe, const char         *folder,
                          void (*log)(void *context, const char *line), void *log_context)
{
    stk_tracer_plan          plan;
    stk_error                err;
    const stk_tracer_options options = {.folder = folder, .log = log, .log_context = log_context};
    *out = NULL;
    if (!spec) return STK_EXIT_OK;
    stk_status st = stk_tracer_parse(&plan, spec, &err);
    if (!st) st = check_level(&plan, recipe->knobs.backend, &err);
    if (st) {
        stk_report_error(call->command, &err, NULL);
        return STK_EXIT_USAGE;
    }
    if (stk_tracer_start(out, &plan, &options, &err))
        return stk_report_error(call->command, &err, NULL);
    return STK_EXIT_OK;
}

/* What is switched now is for the step that begins next. */
static void on_step(void *context, const stk_train_progress *progress)
{
    stk_tracer_step(context, progress->begun - 1);
}

stk_callback stk_train_trace_callback(stk_tracer *tracer)
{
    return (stk_callback){.name = "trace", .on_step = on_step, .context = tracer};
}

void stk_train_trace_end(stk_tracer *tracer, const stk_invocation *call)
{
    stk_error err;
    if (tracer && stk_tracer_finish(tracer, &err))
        stk_report_error(call->command, &err, "the rest of the run is not harmed");
}

void stk_train_trace_print(FILE *out, int width)
{
    const char *part, *meaning;
    fprintf(out, "\nParts of --trace, separated by commas:\n");
    for (size_t i = 0; (part = stk_tracer_help_at(i, &meaning)); i++) {
        const int column = fprintf(out, "  %s", part);
        stk_text_wrap(out, meaning, column, 22, width);
    }
}
