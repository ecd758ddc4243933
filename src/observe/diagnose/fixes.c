/* Selects the fixes' terms: Stoker's, or those of the recorded framework. */
#include "observe/diagnose/context.h"

#include <string.h>

static void own_fixes(stk_diagnosis_ctx *c)
{
    stk_fixes_read(c);
    stk_fixes_preprocess(c);
    stk_fixes_compute(c);
    stk_fixes_output(c);
    stk_fixes_device(c);
}

bool stk_diagnosis_ctx_is_foreign(const stk_diagnosis_ctx *c)
{
    const char *source = c->profile->run.source;
    return *source && strcmp(source, "stoker") != 0;
}

const char *stk_diagnosis_ctx_unit(const stk_diagnosis_ctx *c)
{
    return *c->profile->run.unit ? c->profile->run.unit : "samples";
}

void stk_diagnosis_ctx_fixes(stk_diagnosis_ctx *c)
{
    static const struct {
        const char *framework;
        void (*add)(stk_diagnosis_ctx *c);
    } others[] = {{"pytorch", stk_fixes_pytorch},
                  {"tensorflow", stk_fixes_tensorflow},
                  {"jax", stk_fixes_jax}};
    if (!stk_diagnosis_ctx_is_foreign(c)) own_fixes(c);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(c->profile->program.framework, others[i].framework) == 0) others[i].add(c);
    stk_fixes_quiet(c);
}
