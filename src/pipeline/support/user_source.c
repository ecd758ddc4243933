/* User-defined sources. */
#include "pipeline/support/user_source.h"

#include "pipeline/element/spec.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

stk_status stk_user_source_new(stk_user_source **out, const char *component, const char *name,
                               uint64_t version, void *context, const stk_element_spec *output,
                               stk_error *err)
{
    *out = NULL;
    if (!name || !*name)
        return stk_fail(err, STK_E_INVALID, component, NULL,
                        "the source has no name; give one, it tells sources apart");
    stk_user_source *custom = calloc(1, sizeof *custom);
    if (!custom) return stk_fail(err, STK_E_NOMEM, component, name, "no memory for a source");
    stk_arena_init(&custom->arena, NULL, STK_MEMORY_INDEX);
    custom->component = component;
    custom->version = version;
    custom->context = context;
    custom->name = stk_arena_text(&custom->arena, name, strlen(name), err);
    stk_status st = custom->name ? STK_OK : STK_E_NOMEM;
    if (!st && output) st = stk_spec_copy(&custom->output, output, &custom->arena, err);
    if (st) {
        stk_user_source_free(custom);
        return st;
    }
    *out = custom;
    return STK_OK;
}

void stk_user_source_free(stk_user_source *custom)
{
    if (!custom) return;
    if (custom->release) custom->release(custom->context);
    stk_arena_release(&custom->arena);
    free(custom);
}

void stk_user_source_before(stk_error *err)
{
    if (!err) return;
    err->status = STK_OK;
    err->component = NULL;
    err->where[0] = err->message[0] = 0;
}

static stk_status complete(const stk_user_source *custom, stk_status st, uint64_t epoch,
                           uint64_t index, stk_error *err)
{
    if (!err) return st;
    if (err->status != st)
        stk_fail(err, st, custom->component, NULL, "the source gave \"%s\" and no reason",
                 stk_status_name(st));
    if (!err->where[0])
        snprintf(err->where, sizeof err->where, "%.128s: element %" PRIu64 " of epoch %" PRIu64,
                 custom->name, index, epoch);
    return st;
}

static bool has_origin(const stk_element *element)
{
    const stk_origin *from = stk_element_origin(element);
    return from->file || from->record || from->offset || from->epoch || from->index;
}

/* The source may hold on to the element: then it is copied, not changed. */
static stk_status number(stk_element **element, uint64_t epoch, uint64_t index, stk_error *err)
{
    if (has_origin(*element) || (!index && !epoch)) return STK_OK;
    STK_TRY(stk_element_make_unique(element, err));
    const stk_origin from = {.index = index, .epoch = epoch};
    stk_element_set_origin(*element, &from);
    return STK_OK;
}

stk_status stk_user_source_after(const stk_user_source *custom, stk_status st, uint64_t epoch,
                                 uint64_t index, stk_element **element, stk_error *err)
{
    if (!st && !*element) return STK_OK;
    if (!st) st = number(element, epoch, index, err);
    if (!st) st = stk_spec_check(&custom->output, *element, custom->component, err);
    if (!st) return STK_OK;
    stk_element_unref(*element);
    *element = NULL;
    return complete(custom, st, epoch, index, err);
}
