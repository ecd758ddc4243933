/* --trace SPEC: a tracer for a training run. */
#include "train_trace.h"

#include "text.h"

#include <stdio.h>
#include <string.h>

static bool has_kernels(const char *backend)
{
    if (!*backend || strcmp(backend, "auto") == 0) backend = stk_backend_fastest();
    return strcmp(backend, "cuda") == 0;
}

/* Kernel traces need a GPU backend; without one the level is rejected instead of silently
 * lowered. */
static stk_status check_level(const stk_tracer_plan *plan, const char *backend, stk_error *err)
{
    if (plan->level < STK_TRACE_KERNELS || has_kernels(backend)) return STK_OK;
    if (!*backend || strcmp(backend, "auto") == 0) backend = stk_backend_fastest();
    return stk_fail(err, STK_E_UNSUPPORTED, "trace", "level=3",
                    "is what a GPU tells of its kernels, and the backend %s has none; level=2 has "
                    "every operation",
                    backend);
}

int cli_train_trace_start(stk_tracer **out, const cli_invocation *call, const char *spec,
                          const stk_train_recipe *recipe, const char *folder, bool listen,
                          void (*log)(void *context, const char *line), void *log_context)
{
    stk_tracer_plan plan = {
        .first_step = -1, .last_step = -1, .level = STK_TRACE_STAGES, .idle = true};
    stk_error                err;
    const stk_tracer_options options = {
        .folder = folder,
        .listen = listen,
        .max_level = has_kernels(recipe->knobs.backend) ? STK_TRACE_KERNELS : STK_TRACE_OPS,
        .log = log,
        .log_context = log_context};
    *out = NULL;
    if (!spec && !listen) return CLI_EXIT_OK;
    stk_status st = spec ? stk_tracer_parse(&plan, spec, &err) : STK_OK;
    if (!st) st = check_level(&plan, recipe->knobs.backend, &err);
    if (st) {
        cli_report_error(call->command, &err, NULL);
        return CLI_EXIT_USAGE;
    }
    if (stk_tracer_start(out, &plan, &options, &err))
        return cli_report_error(call->command, &err, NULL);
    return CLI_EXIT_OK;
}

/* Switches the level for the next step. */
static void on_step(void *context, const stk_train_progress *progress)
{
    stk_tracer_step(context, progress->last_enqueued - 1);
}

stk_callback cli_train_trace_callback(stk_tracer *tracer)
{
    return (stk_callback){.name = "trace", .on_step = on_step, .context = tracer};
}

bool cli_train_trace_end(stk_tracer *tracer, const cli_invocation *call)
{
    stk_error err;
    if (!tracer || !stk_tracer_finish(tracer, &err)) return true;
    cli_report_error(call->command, &err, "the rest of the run is not harmed");
    return false;
}

void cli_train_trace_print(FILE *out, int width)
{
    const char *part, *meaning;
    fprintf(out, "\nParts of --trace, separated by commas:\n");
    for (size_t i = 0; (part = stk_tracer_help_at(i, &meaning)); i++) {
        const int column = fprintf(out, "  %s", part);
        cli_text_wrap(out, meaning, column, 22, width);
    }
}
