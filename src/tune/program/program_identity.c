/* Identity of a search: a line for each part of the program. */
#include "tune/program/program_identity.h"
#include "tune/search/identity.h"

static stk_status add_lists(stk_blob *out, const stk_tune_program *p, stk_error *err)
{
    for (char *const *word = p->argv; *word; word++)
        STK_TRY(stk_tune_identity_add(out, "argument", *word, err));
    for (size_t i = 0; i < p->environment_count; i++)
        STK_TRY(stk_tune_identity_add(out, "environment", p->environment[i], err));
    for (size_t i = 0; i < p->knob_count; i++)
        STK_TRY(stk_tune_identity_add(out, "knob", p->knobs[i], err));
    return STK_OK;
}

static const char *or_none(const char *text)
{
    return text ? text : "";
}

stk_status stk_tune_program_identity(stk_blob *out, const stk_tune_program_subject *subject,
                                     stk_error *err)
{
    const stk_tune_program *p = subject->program;
    out->size = 0;
    STK_TRY(add_lists(out, p, err));
    STK_TRY(stk_tune_identity_add(out, "template", or_none(subject->parts.config), err));
    STK_TRY(stk_tune_identity_add(out, "rate", or_none(p->rate), err));
    STK_TRY(stk_tune_identity_add(out, "guard", or_none(p->guard), err));
    STK_TRY(stk_tune_identity_number(out, "warm-up", subject->run.warm_up_s, err));
    STK_TRY(stk_tune_identity_number(out, "measure", subject->run.measure_s, err));
    STK_TRY(stk_tune_identity_number(out, "guard-margin", p->guard_margin, err));
    STK_TRY(stk_tune_identity_add(out, "busy", subject->busy_gpu ? "GPUs" : "", err));
    STK_TRY(stk_tune_identity_options(out, subject->options, err));
    return stk_blob_append(out, "", 1, err);
}
