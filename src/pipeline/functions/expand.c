/* Expand functions: numbers up to an element's value, copies of it, its rows. */
#include "pipeline/element/spec.h"
#include "pipeline/functions/builtin.h"

#include <inttypes.h>
#include <stdio.h>
#include <stoker/dataset_operators.h>

typedef struct context {
    int           value;
    stk_spec_keep keep;
} context;

static stk_status range_to(void *untyped, const stk_call *call, const stk_element *element,
                           stk_dataset **out, stk_error *err)
{
    (void)call;
    const context *c = stk_builtin_context(untyped);
    int64_t        stop;
    STK_TRY(stk_need_integer("range_to", element, c->value, &stop, err));
    return stk_dataset_range(out, 0, stop, 1, err);
}

static stk_status copies(void *untyped, const stk_call *call, const stk_element *element,
                         stk_dataset **out, stk_error *err)
{
    (void)call;
    const context *c = stk_builtin_context(untyped);
    int64_t        count;
    STK_TRY(stk_need_integer("copies", element, c->value, &count, err));
    if (count < 0)
        return stk_fail(err, STK_E_INVALID, "copies", NULL,
                        "value %d is %" PRId64 "; there cannot be fewer than 0 copies", c->value,
                        count);
    stk_element *same = stk_element_ref(element);
    stk_status   st = stk_dataset_elements(out, &same, 1, err);
    stk_element_unref(same);
    if (!st) st = stk_dataset_repeat(out, count, err);
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
    return stk_dataset_slices(out, element, err);
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
    *out = stk_dataset_ref(stk_value_dataset_of(stk_element_value(element, i)));
    return STK_OK;
}

static stk_status output_of_range_to(void *untyped, const stk_element_spec *input,
                                     stk_element_spec *out, stk_error *err)
{
    static const stk_value_spec number = {.name = "0", .dtype = STK_DTYPE_I64, .rank_known = true};
    const context              *c = stk_builtin_context(untyped);
    *out = (stk_element_spec){.known = true, .count = 1, .values = &number};
    return stk_check_scalar("range_to", input, c->value, STK_TYPES_INTEGER, err);
}

static stk_status output_of_copies(void *untyped, const stk_element_spec *input,
                                   stk_element_spec *out, stk_error *err)
{
    const context *c = stk_builtin_context(untyped);
    *out = *input;
    return stk_check_scalar("copies", input, c->value, STK_TYPES_INTEGER, err);
}

/* Values without rows; that all have as many shows when they are there. */
static stk_status check_slices(const stk_element_spec *input, stk_error *err)
{
    static const char *const kinds[] = {"a scalar", "ragged", "sparse", "a dataset"};
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

static stk_status output_of_slices(void *untyped, const stk_element_spec *input,
                                   stk_element_spec *out, stk_error *err)
{
    context         *c = stk_builtin_context(untyped);
    stk_element_spec rows;
    stk_arena        arena;
    int64_t          count;
    *out = (stk_element_spec){0};
    STK_TRY(check_slices(input, err));
    stk_arena_init(&arena, NULL, STK_MEMORY_INDEX);
    stk_status st = stk_spec_rows(&rows, input, "slices", &count, &arena, err);
    if (!st) st = stk_spec_keep_copy(&c->keep, &rows, out, err);
    stk_arena_release(&arena);
    return st;
}

static stk_status output_of_flatten(void *untyped, const stk_element_spec *input,
                                    stk_element_spec *out, stk_error *err)
{
    context *c = stk_builtin_context(untyped);
    *out = (stk_element_spec){0};
    if (c->value < STK_ALL_VALUES || (input->known && c->value >= (int64_t)input->count))
        return stk_fail(err, STK_E_RANGE, "flatten", NULL,
                        "value %d was asked for; elements have %zu, counted from 0", c->value,
                        input->count);
    if (!input->known) return STK_OK;
    const stk_value_spec *found = NULL;
    for (size_t i = 0; i < input->count && !found; i++)
        if (input->values[i].kind == STK_VALUE_DATASET && (c->value < 0 || i == (size_t)c->value))
            found = &input->values[i];
    if (!found) return no_dataset(err);
    return found->inner ? stk_spec_keep_copy(&c->keep, found->inner, out, err) : STK_OK;
}

static void release(void *untyped)
{
    stk_spec_keep_release(&((context *)untyped)->keep);
}

static stk_status make(stk_function **out, stk_function_info info, int value, stk_error *err)
{
    context c = {.value = value};
    char    details[24] = "";
    stk_spec_keep_init(&c.keep);
    if (value >= 0) snprintf(details, sizeof details, "value %d", value);
    info.details = details;
    return stk_builtin_new(out, &info, &c, sizeof c, release, err);
}

stk_status stk_function_range_to(stk_function **out, int value, stk_error *err)
{
    const stk_function_info info = {
        .name = "range_to", .output_of = output_of_range_to, .expand = range_to};
    return make(out, info, value, err);
}

stk_status stk_function_copies(stk_function **out, int value, stk_error *err)
{
    const stk_function_info info = {
        .name = "copies", .output_of = output_of_copies, .expand = copies};
    return make(out, info, value, err);
}

stk_status stk_function_slices(stk_function **out, stk_error *err)
{
    const stk_function_info info = {
        .name = "slices", .output_of = output_of_slices, .expand = slices};
    return make(out, info, STK_ALL_VALUES, err);
}

stk_status stk_function_flatten(stk_function **out, int value, stk_error *err)
{
    const stk_function_info info = {
        .name = "flatten", .output_of = output_of_flatten, .expand = flatten};
    return make(out, info, value, err);
}
