/* Datasets made of an element: numbers up to it, copies of it, its rows. */
#include "pipeline/functions/builtin.h"

#include <inttypes.h>
#include <stdio.h>
#include <stoker/dataset_operators.h>

typedef struct context {
    int value;
} context;

static stk_status range_to(void *untyped, const stk_call *call, const stk_element *element,
                           stk_dataset **out, stk_error *err)
{
    (void)call;
    const context *c = stk_builtin_context(untyped);
    int64_t        stop;
    STK_TRY(stk_need_whole("range_to", element, c->value, &stop, err));
    return stk_dataset_range(out, 0, stop, 1, err);
}

static stk_status copies(void *untyped, const stk_call *call, const stk_element *element,
                         stk_dataset **out, stk_error *err)
{
    (void)call;
    const context *c = stk_builtin_context(untyped);
    int64_t        count;
    STK_TRY(stk_need_whole("copies", element, c->value, &count, err));
    if (count < 0)
        return stk_fail(err, STK_E_INVALID, "copies", NULL,
                        "value %d is %" PRId64 "; there cannot be fewer than 0 copies", c->value,
                        count);
    /* The dataset counts the element like any other holder; nothing is changed through it. */
    stk_element *same = (stk_element *)element;
    STK_TRY(stk_dataset_elements(out, &same, 1, err));
    stk_status st = stk_dataset_repeat(out, count, err);
    if (st) {
        stk_dataset_unref(*out);
        *out = NULL;
    }
    return st;
}

static stk_status slices(void *untyped, const stk_call *call, const stk_element *element,
                         stk_dataset **out, stk_error *err)
{
    (void)untyped;
    (void)call;
    return stk_dataset_slices(out, (stk_element *)element, err);
}

/* The first dataset of an element, or the one at value. */
static stk_status flatten(void *untyped, const stk_call *call, const stk_element *element,
                          stk_dataset **out, stk_error *err)
{
    (void)call;
    const context *c = stk_builtin_context(untyped);
    const size_t   count = stk_element_count(element);
    size_t         i = c->value < 0 ? 0 : (size_t)c->value;
    while (c->value < 0 && i < count && stk_element_value(element, i)->kind != STK_VALUE_DATASET)
        i++;
    if (i >= count || stk_element_value(element, i)->kind != STK_VALUE_DATASET)
        return stk_fail(err, STK_E_TYPE, "flatten", NULL,
                        "no value of the element is a dataset; window and group_by_window make "
                        "such elements");
    *out = stk_dataset_ref(stk_element_value(element, i)->small.dataset);
    return STK_OK;
}

static stk_status make(stk_function **out, const char *name, stk_expand_fn expand, int value,
                       stk_error *err)
{
    const context c = {value};
    char          details[24] = "";
    if (value >= 0) snprintf(details, sizeof details, "value %d", value);
    const stk_function_info info = {.name = name, .details = details, .expand = expand};
    return stk_builtin_new(out, &info, &c, sizeof c, NULL, err);
}

stk_status stk_function_range_to(stk_function **out, int value, stk_error *err)
{
    return make(out, "range_to", range_to, value, err);
}

stk_status stk_function_copies(stk_function **out, int value, stk_error *err)
{
    return make(out, "copies", copies, value, err);
}

stk_status stk_function_slices(stk_function **out, stk_error *err)
{
    return make(out, "slices", slices, STK_ALL_VALUES, err);
}

stk_status stk_function_flatten(stk_function **out, int value, stk_error *err)
{
    return make(out, "flatten", flatten, value, err);
}
