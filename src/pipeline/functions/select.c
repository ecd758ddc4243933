/* select: some of the values, in a given order. */
#include "pipeline/functions/builtin.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct context {
    stk_spec_keep keep;
    int          *indices;
    size_t        count;
} context;

enum { SELECTED_MAX = 64 };

static stk_status map(void *untyped, const stk_call *call, stk_element **element, stk_error *err)
{
    (void)call;
    const context *c = stk_builtin_context(untyped);
    stk_element   *made, *from = *element;
    for (size_t i = 0; i < c->count; i++)
        if ((size_t)c->indices[i] >= stk_element_count(from))
            return stk_fail(err, STK_E_RANGE, "select", NULL,
                            "value %d was asked for; elements have %zu, counted from 0",
                            c->indices[i], stk_element_count(from));
    STK_TRY(stk_element_new(&made, c->count, err));
    stk_element_set_origin(made, stk_element_origin(from));
    for (size_t i = 0; i < c->count; i++)
        *stk_element_edit(made, i) = stk_value_ref(stk_element_value(from, (size_t)c->indices[i]));
    stk_element_unref(from);
    *element = made;
    return STK_OK;
}

static stk_status output_of(void *untyped, const stk_element_spec *input, stk_element_spec *out,
                            stk_error *err)
{
    context *c = stk_builtin_context(untyped);
    *out = (stk_element_spec){0};
    if (!input->known) return STK_OK;
    for (size_t i = 0; i < c->count; i++)
        if ((size_t)c->indices[i] >= input->count)
            return stk_fail(err, STK_E_RANGE, "select", NULL,
                            "value %d was asked for; elements have %zu, counted from 0",
                            c->indices[i], input->count);
    stk_value_spec *draft;
    STK_TRY(stk_spec_draft(&draft, &(stk_element_spec){0}, c->count, err));
    for (size_t i = 0; i < c->count; i++)
        draft[i] = input->values[c->indices[i]];
    return stk_spec_keep_draft(&c->keep, draft, c->count, out, err);
}

static void release(void *untyped)
{
    context *c = untyped;
    stk_spec_keep_release(&c->keep);
    free(c->indices);
}

stk_status stk_function_select(stk_function **out, const int *indices, size_t count, stk_error *err)
{
    *out = NULL;
    if (!count || count > SELECTED_MAX)
        return stk_fail(err, STK_E_INVALID, "select", NULL,
                        "%zu values were asked for; select 1 to %d", count, SELECTED_MAX);
    char   details[SELECTED_MAX * 12 + 1];
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (indices[i] < 0)
            return stk_fail(err, STK_E_RANGE, "select", NULL,
                            "value %d was asked for; values are counted from 0", indices[i]);
        used +=
            (size_t)snprintf(details + used, sizeof details - used, i ? " %d" : "%d", indices[i]);
    }
    context c = {.indices = malloc(count * sizeof *indices), .count = count};
    if (!c.indices) return stk_fail(err, STK_E_NOMEM, "select", NULL, "no memory for a function");
    memcpy(c.indices, indices, count * sizeof *indices);
    stk_spec_keep_init(&c.keep);
    const stk_function_info info = {
        .name = "select", .details = details, .output_of = output_of, .map = map};
    return stk_builtin_new(out, &info, &c, sizeof c, release, err);
}

stk_status stk_function_select_named(stk_function **out, const stk_element_spec *input,
                                     const char *const *names, size_t count, stk_error *err)
{
    *out = NULL;
    int indices[SELECTED_MAX];
    for (size_t i = 0; i < count && i < SELECTED_MAX; i++) {
        indices[i] = stk_element_spec_find(input, names[i]);
        if (indices[i] < 0)
            return stk_fail(err, STK_E_NOTFOUND, "select", names[i], "there is no such value%s",
                            input->known ? "" : ": the names of the values are not known here");
    }
    return stk_function_select(out, indices, count, err);
}
