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

static stk_status no_dataset(stk_error *err)
{
    return stk_fail(err, STK_E_TYPE, "flatten", NULL,
                    "no value of the element is a dataset; window and group_by_window make such "
                    "elements");
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
        return no_dataset(err);
    *out = stk_dataset_ref(stk_element_value(element, i)->small.dataset);
    return STK_OK;
}

static stk_status check_range_to(void *untyped, const stk_element_spec *input, stk_error *err)
{
    const context *c = stk_builtin_context(untyped);
    return stk_check_scalar("range_to", input, c->value, STK_TYPES_INTEGER, err);
}

static stk_status check_copies(void *untyped, const stk_element_spec *input, stk_error *err)
{
    const context *c = stk_builtin_context(untyped);
    return stk_check_scalar("copies", input, c->value, STK_TYPES_INTEGER, err);
}

/* Values without rows; that all have as many shows when they are there. */
static stk_status check_slices(void *untyped, const stk_element_spec *input, stk_error *err)
{
    static const char *const kinds[] = {"a scalar", "ragged", "sparse", "a dataset"};
    (void)untyped;
    for (size_t i = 0; input->known && i < input->count; i++) {
        const stk_value_spec *value = &input->values[i];
        const bool            scalar = value->rank_known && value->shape.rank == 0;
        if (value->kind == STK_VALUE_RAGGED || (value->kind == STK_VALUE_DENSE && !scalar))
            continue;
        return stk_fail(err, STK_E_INVALID, "slices", NULL,
                        "value %zu (%s) is %s and has no rows; select others, or batch before", i,
                        value->name ? value->name : "?", kinds[value->kind]);
    }
    return STK_OK;
}

static stk_status check_flatten(void *untyped, const stk_element_spec *input, stk_error *err)
{
    const context *c = stk_builtin_context(untyped);
    if (c->value < STK_ALL_VALUES || (input->known && c->value >= (int64_t)input->count))
        return stk_fail(err, STK_E_RANGE, "flatten", NULL,
                        "value %d was asked for; elements have %zu, counted from 0", c->value,
                        input->count);
    bool found = !input->known;
    for (size_t i = 0; i < input->count && !found; i++)
        found =
            input->values[i].kind == STK_VALUE_DATASET && (c->value < 0 || i == (size_t)c->value);
    return found ? STK_OK : no_dataset(err);
}

static stk_status make(stk_function **out, stk_function_info info, int value, stk_error *err)
{
    const context c = {value};
    char          details[24] = "";
    if (value >= 0) snprintf(details, sizeof details, "value %d", value);
    info.details = details;
    return stk_builtin_new(out, &info, &c, sizeof c, NULL, err);
}

stk_status stk_function_range_to(stk_function **out, int value, stk_error *err)
{
    const stk_function_info info = {
        .name = "range_to", .check = check_range_to, .expand = range_to};
    return make(out, info, value, err);
}

stk_status stk_function_copies(stk_function **out, int value, stk_error *err)
{
    const stk_function_info info = {.name = "copies", .check = check_copies, .expand = copies};
    return make(out, info, value, err);
}

stk_status stk_function_slices(stk_function **out, stk_error *err)
{
    const stk_function_info info = {.name = "slices", .check = check_slices, .expand = slices};
    return make(out, info, STK_ALL_VALUES, err);
}

stk_status stk_function_flatten(stk_function **out, int value, stk_error *err)
{
    const stk_function_info info = {.name = "flatten", .check = check_flatten, .expand = flatten};
    return make(out, info, value, err);
}
