/* Calls user functions; every error names the element. */
#include "pipeline/support/invoke.h"

#include "pipeline/element/spec.h"

#include <stdlib.h>
#include <stoker/dataset.h>

static bool is_unset(const stk_origin *origin)
{
    return !origin->file && !origin->record && !origin->offset && !origin->epoch && !origin->index;
}

/* Completes an error without message or location. */
static stk_status complete_error(const stk_function_info *info, stk_status st,
                                 const stk_element *element, stk_error *err)
{
    if (!err) return st;
    if (err->status != st)
        stk_fail(err, st, info->name, NULL, "the function gave \"%s\" and no reason",
                 stk_status_name(st));
    if (!err->where[0]) stk_element_where(element, err->where, sizeof err->where);
    return st;
}

/* A fresh error, so that text of an earlier one is not taken for the function's. */
static void clear(stk_error *err)
{
    if (!err) return;
    err->status = STK_OK;
    err->component = NULL;
    err->where[0] = err->message[0] = 0;
}

/* The end of every call that changes an element: on failure the element goes and the error names
 * from; else a result without an origin gets from. */
static stk_status finish_call(const stk_function_info *info, stk_status st, const stk_origin *from,
                              stk_element **element, stk_error *err)
{
    if (st) {
        stk_element *named;
        stk_element_unref(*element);
        *element = NULL;
        if (stk_element_new(&named, 0, NULL) == STK_OK) {
            stk_element_set_origin(named, from);
            complete_error(info, st, named, err);
            stk_element_unref(named);
        }
        return st;
    }
    if (!*element || !is_unset(stk_element_origin(*element)) || is_unset(from)) return STK_OK;
    STK_TRY(stk_element_make_unique(element, err));
    stk_element_set_origin(*element, from);
    return STK_OK;
}

/* Only elements from files need their name kept alive. */
static stk_origin remember(const stk_element *element)
{
    const stk_origin from = *stk_element_origin(element);
    if (from.file) stk_buffer_ref(from.file);
    return from;
}

/* Checks the element that a map left. */
static stk_status finish_map(const stk_function_info *info, stk_status st, const stk_origin *from,
                             stk_element **element, stk_error *err)
{
    if (!st && !*element)
        st = stk_fail(err, STK_E_INVALID, info->name, NULL,
                      "the function left no element; a map cannot end the data: use take_while");
    if (!st && info->output && !info->output_of)
        st = stk_spec_check(info->output, *element, info->name, err);
    st = finish_call(info, st, from, element, err);
    stk_buffer_unref(from->file);
    return st;
}

stk_status stk_call_map(const stk_function *function, const stk_call *call, stk_element **element,
                        stk_error *err)
{
    const stk_function_info *info = stk_function_info_of(function);
    const stk_origin         from = remember(*element);
    clear(err);
    const stk_status st = info->map(info->context, call, element, err);
    return finish_map(info, st, &from, element, err);
}

/* Without memory to remember where all came from, they are mapped one by one. */
stk_status stk_call_map_many(const stk_function *function, const stk_decode_device *images,
                             stk_many_item *items, size_t count, stk_error *err)
{
    const stk_function_info *info = stk_function_info_of(function);
    stk_origin              *from = malloc(count * sizeof *from);
    for (size_t i = 0; i < count; i++) {
        stk_many_item *item = &items[i];
        item->by_device = false;
        clear(&item->err);
        if (from)
            from[i] = remember(*item->element);
        else
            item->status = stk_call_map(function, &item->call, item->element, &item->err);
    }
    if (!from) return STK_OK;
    clear(err);
    const stk_status st = info->map_many(info->context, images, items, count, err);
    for (size_t i = 0; i < count; i++)
        items[i].status =
            finish_map(info, items[i].status, &from[i], items[i].element, &items[i].err);
    free(from);
    return st;
}

bool stk_call_same_types(const stk_element *like, const stk_element *state)
{
    if (!state || stk_element_count(state) != stk_element_count(like)) return false;
    for (size_t i = 0; i < stk_element_count(like); i++) {
        const stk_value *a = stk_element_value(like, i), *b = stk_element_value(state, i);
        if (a->kind != b->kind || a->dtype != b->dtype) return false;
    }
    return true;
}

static stk_status refuse_state(const stk_function_info *info, const stk_element *like,
                               const stk_element *state, stk_error *err)
{
    if (!state) return stk_fail(err, STK_E_TYPE, info->name, NULL, "the function left no state");
    const size_t want = stk_element_count(like), have = stk_element_count(state);
    if (want != have)
        return stk_fail(err, STK_E_TYPE, info->name, NULL,
                        "the function left a state of %zu values; it began with %zu", have, want);
    size_t i = 0;
    while (i + 1 < want && stk_element_value(like, i)->dtype == stk_element_value(state, i)->dtype)
        i++;
    return stk_fail(err, STK_E_TYPE, info->name, NULL,
                    "value %zu of the state became %s; it was %s at the beginning and must stay so",
                    i, stk_dtype_name(stk_element_value(state, i)->dtype),
                    stk_dtype_name(stk_element_value(like, i)->dtype));
}

stk_status stk_call_scan(const stk_function *function, const stk_call *call,
                         const stk_element *like, stk_element **state, stk_element **element,
                         stk_error *err)
{
    const stk_function_info *info = stk_function_info_of(function);
    const stk_origin         from = remember(*element);
    clear(err);
    stk_status st = info->scan(info->context, call, state, element, err);
    if (!st && !stk_call_same_types(like, *state)) st = refuse_state(info, like, *state, err);
    if (!st && *element && info->output && !info->output_of)
        st = stk_spec_check(info->output, *element, info->name, err);
    st = finish_call(info, st, &from, element, err);
    stk_buffer_unref(from.file);
    return st;
}

stk_status stk_call_predicate(const stk_function *function, const stk_call *call,
                              const stk_element *element, bool *keep, stk_error *err)
{
    const stk_function_info *info = stk_function_info_of(function);
    *keep = false;
    clear(err);
    stk_status st = info->test(info->context, call, element, keep, err);
    return st ? complete_error(info, st, element, err) : STK_OK;
}

stk_status stk_call_key(const stk_function *function, const stk_call *call,
                        const stk_element *element, int64_t *key, stk_error *err)
{
    const stk_function_info *info = stk_function_info_of(function);
    *key = 0;
    clear(err);
    stk_status st = info->key(info->context, call, element, key, err);
    return st ? complete_error(info, st, element, err) : STK_OK;
}

stk_status stk_call_expand(const stk_function *function, const stk_call *call,
                           const stk_element *element, stk_dataset **out, stk_error *err)
{
    const stk_function_info *info = stk_function_info_of(function);
    *out = NULL;
    clear(err);
    stk_status st = info->expand(info->context, call, element, out, err);
    if (!st && !*out)
        st = stk_fail(err, STK_E_INVALID, info->name, NULL,
                      "the function made no dataset; for none give one without elements");
    if (st) {
        stk_dataset_unref(*out);
        *out = NULL;
        return complete_error(info, st, element, err);
    }
    return STK_OK;
}
