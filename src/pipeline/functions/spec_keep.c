/* Output specs of functions: made once, kept as long as the function. */
#include "pipeline/element/spec.h"
#include "pipeline/functions/builtin.h"

#include <stdlib.h>

struct stk_kept_spec {
    stk_element_spec      spec;
    struct stk_kept_spec *next;
};

void stk_spec_keep_init(stk_spec_keep *keep)
{
    *keep = (stk_spec_keep){.lock = PTHREAD_MUTEX_INITIALIZER};
    stk_arena_init(&keep->arena, NULL, STK_MEMORY_INDEX);
}

void stk_spec_keep_release(stk_spec_keep *keep)
{
    stk_arena_release(&keep->arena);
    keep->list = NULL;
}

stk_status stk_spec_draft(stk_value_spec **out, const stk_element_spec *input, size_t extra,
                          stk_error *err)
{
    *out = calloc(input->count + extra + 1, sizeof **out);
    if (!*out) return stk_fail(err, STK_E_NOMEM, "function", NULL, "no memory for a spec");
    if (input->count) memcpy(*out, input->values, input->count * sizeof **out);
    return STK_OK;
}

static stk_status keep_new(stk_spec_keep *keep, const stk_element_spec *spec, stk_element_spec *out,
                           stk_error *err)
{
    struct stk_kept_spec *kept = stk_arena_alloc(&keep->arena, sizeof *kept, err);
    if (!kept) return STK_E_NOMEM;
    STK_TRY(stk_spec_copy(&kept->spec, spec, &keep->arena, err));
    kept->next = keep->list;
    keep->list = kept;
    *out = kept->spec;
    return STK_OK;
}

stk_status stk_spec_keep_copy(stk_spec_keep *keep, const stk_element_spec *spec,
                              stk_element_spec *out, stk_error *err)
{
    *out = (stk_element_spec){0};
    if (!spec->known) return STK_OK;
    pthread_mutex_lock(&keep->lock);
    for (const struct stk_kept_spec *kept = keep->list; kept && !out->known; kept = kept->next)
        if (stk_spec_equal(&kept->spec, spec)) *out = kept->spec;
    stk_status st = out->known ? STK_OK : keep_new(keep, spec, out, err);
    pthread_mutex_unlock(&keep->lock);
    return st;
}

stk_status stk_spec_keep_draft(stk_spec_keep *keep, stk_value_spec *draft, size_t count,
                               stk_element_spec *out, stk_error *err)
{
    const stk_element_spec full = {.known = true, .count = count, .values = draft};
    const stk_status       st = stk_spec_keep_copy(keep, &full, out, err);
    free(draft);
    return st;
}

stk_status stk_spec_keep_value(stk_spec_keep *keep, const stk_element_spec *input, int value,
                               stk_dtype dtype, const stk_shape *shape, stk_element_spec *out,
                               stk_error *err)
{
    *out = (stk_element_spec){0};
    if (!input->known) return STK_OK;
    stk_value_spec *draft;
    STK_TRY(stk_spec_draft(&draft, input, 0, err));
    for (size_t i = 0; i < input->count; i++) {
        if (value >= 0 && (size_t)value != i) continue;
        draft[i].dtype = dtype;
        if (!shape) continue;
        draft[i].shape = *shape;
        draft[i].rank_known = true;
        draft[i].ragged = 0;
    }
    return stk_spec_keep_draft(keep, draft, input->count, out, err);
}
