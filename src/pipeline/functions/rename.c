/* rename: other names for the values; the values stay. */
#include "pipeline/functions/builtin.h"

#include <stdlib.h>
#include <stoker/blob.h>

typedef struct context {
    stk_spec_keep keep;
    stk_arena     arena;
    const char  **names;
    size_t        count;
} context;

static stk_status map(void *context_, const stk_call *call, stk_element **element, stk_error *err)
{
    (void)context_;
    (void)call;
    (void)element;
    (void)err;
    return STK_OK;
}

static stk_status output_of(void *untyped, const stk_element_spec *input, stk_element_spec *out,
                            stk_error *err)
{
    context *c = stk_builtin_context(untyped);
    *out = (stk_element_spec){0};
    if (!input->known) return STK_OK;
    if (input->count != c->count)
        return stk_fail(err, STK_E_INVALID, "rename", NULL,
                        "%zu names were given; elements have %zu values", c->count, input->count);
    stk_value_spec *draft;
    STK_TRY(stk_spec_draft(&draft, input, 0, err));
    for (size_t i = 0; i < c->count; i++)
        draft[i].name = c->names[i];
    return stk_spec_keep_draft(&c->keep, draft, c->count, out, err);
}

static void release(void *untyped)
{
    context *c = untyped;
    stk_spec_keep_release(&c->keep);
    stk_arena_release(&c->arena);
}

static stk_status copy_names(context *c, const char *const *names, stk_blob *details,
                             stk_error *err)
{
    c->names = stk_arena_array(&c->arena, c->count ? c->count : 1, sizeof *c->names, err);
    if (!c->names) return STK_E_NOMEM;
    for (size_t i = 0; i < c->count; i++) {
        for (size_t k = 0; k < i; k++)
            if (strcmp(names[i], names[k]) == 0)
                return stk_fail(err, STK_E_INVALID, "rename", names[i],
                                "two values cannot have the same name");
        c->names[i] = stk_arena_text(&c->arena, names[i], strlen(names[i]), err);
        if (!c->names[i]) return STK_E_NOMEM;
        if (i) STK_TRY(stk_blob_append(details, " ", 1, err));
        STK_TRY(stk_blob_append(details, names[i], strlen(names[i]), err));
    }
    return stk_blob_append(details, "", 1, err);
}

stk_status stk_function_rename(stk_function **out, const char *const *names, size_t count,
                               stk_error *err)
{
    *out = NULL;
    context  c = {.count = count};
    stk_blob details;
    stk_spec_keep_init(&c.keep);
    stk_arena_init(&c.arena, NULL, STK_MEMORY_INDEX);
    stk_blob_init(&details, NULL, STK_MEMORY_INDEX);
    stk_status st = copy_names(&c, names, &details, err);
    if (st) {
        release(&c);
    } else {
        const stk_function_info info = {.name = "rename",
                                        .details = (const char *)details.data,
                                        .traits = STK_FUNCTION_SAFE,
                                        .output_of = output_of,
                                        .map = map};
        st = stk_builtin_new(out, &info, &c, sizeof c, release, err);
    }
    stk_blob_release(&details);
    return st;
}
