/* Flags that select a model. */
#include "model_options.h"

#include "signals.h"

#include <stdio.h>
#include <string.h>

stk_predictor_options cli_model_options_of(const cli_model_values *values, int threads)
{
    return (stk_predictor_options){.backend = values->backend,
                                   .cancel = cli_signals_token(),
                                   .threads = threads,
                                   .which = values->which,
                                   .model = values->model,
                                   .preset = values->preset,
                                   .classes = values->classes,
                                   .size = values->size};
}

const char *cli_model_options_advice(const stk_error *err)
{
    const char *component = err->component ? err->component : "";
    if (strcmp(component, "checkpoint") == 0 || strcmp(component, "weights") == 0)
        return "--model, --classes and --size say what model the weights are of";
    if (err->status == STK_E_NOTFOUND)
        return "RUN is the folder that 'stoker train' wrote, or a .safetensors file with weights";
    return NULL;
}

void cli_model_options_warn(const stk_predictor *predictor)
{
    const char *note = stk_predictor_note(predictor);
    if (*note) fprintf(stderr, "WARNING: %s\n", note);
}
