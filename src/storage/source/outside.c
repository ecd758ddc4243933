/* Names that lead out of the data's folder. */
#include "storage/source/source_internal.h"

#include <inttypes.h>

stk_status stk_source_meet_outside(stk_source *source, const char *folder, const char *name,
                                   bool *taken, stk_error *err)
{
    *taken = source->follow_outside;
    if (*taken) source->followed++;
    return stk_left_out_add(&source->left_out, &source->arena, STK_LEFT_OUT_OUTSIDE, folder, name,
                            err);
}

/* Followed entries were not skipped: they become a note. */
static stk_status tell_followed(stk_source *source, const stk_source_left_out *met, stk_error *err)
{
    const stk_status st = stk_source_note(source, err, STK_OUTSIDE_NOTE, met->count, met->example);
    stk_left_out_forget(&source->left_out, STK_LEFT_OUT_OUTSIDE);
    return st;
}

static const stk_source_left_out *find(const stk_source *source)
{
    size_t                     count;
    const stk_source_left_out *all = stk_source_left_outs(source, &count);
    for (size_t i = 0; i < count; i++)
        if (all[i].reason == STK_LEFT_OUT_OUTSIDE) return &all[i];
    return NULL;
}

stk_status stk_source_report_outside(stk_source *source, const char *one, const char *many,
                                     stk_error *err)
{
    const stk_source_left_out *met = find(source);
    if (met && source->follow_outside) return tell_followed(source, met, err);
    if (!met || source->skip_bad) return STK_OK;
    return stk_fail(err, STK_E_INVALID, "source", source->path,
                    "%" PRIu64 " %s out of the data's folder, first '%.80s'; take what lies there "
                    "with --follow-outside (in a recipe: data.follow_outside: true), or leave it "
                    "out with --on-bad skip",
                    met->count, met->count == 1 ? one : many, met->example);
}
