/* Joining elements and their specs. */
#include "pipeline/support/join.h"

#include "pipeline/element/spec.h"

#include <ctype.h>
#include <stdio.h>

static bool is_number(const char *name)
{
    while (isdigit((unsigned char)*name))
        name++;
    return !*name;
}

static size_t bearers(const stk_element_spec *const *specs, size_t count, const char *name)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < specs[i]->count; k++)
            found += strcmp(specs[i]->values[k].name, name) == 0;
    return found;
}

static stk_status name_value(stk_value_spec *value, size_t number,
                             const stk_element_spec *const *specs, size_t count, stk_arena *arena,
                             stk_error *err)
{
    char        text[24];
    const char *name = value->name;
    if (is_number(name) || bearers(specs, count, name) > 1) {
        snprintf(text, sizeof text, "%zu", number);
        name = text;
    }
    value->name = stk_arena_text(arena, name, strlen(name), err);
    return value->name ? STK_OK : STK_E_NOMEM;
}

stk_status stk_join_specs(stk_element_spec *out, const stk_element_spec *const *specs, size_t count,
                          stk_arena *arena, stk_error *err)
{
    size_t all = 0;
    *out = (stk_element_spec){0};
    for (size_t i = 0; i < count; i++) {
        if (!specs[i]->known) return STK_OK;
        all += specs[i]->count;
    }
    stk_value_spec *values = stk_arena_array(arena, all ? all : 1, sizeof *values, err);
    if (!values) return STK_E_NOMEM;
    size_t number = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < specs[i]->count; k++) {
            values[number] = specs[i]->values[k];
            STK_TRY(name_value(&values[number], number, specs, count, arena, err));
            STK_TRY(stk_spec_own_inner(&values[number], arena, err));
            number++;
        }
    *out = (stk_element_spec){.known = true, .count = all, .values = values};
    return STK_OK;
}

stk_status stk_join_elements(stk_element **out, stk_element *const *elements, size_t count,
                             stk_error *err)
{
    size_t all = 0, number = 0;
    for (size_t i = 0; i < count; i++)
        all += stk_element_count(elements[i]);
    STK_TRY(stk_element_new(out, all, err));
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < stk_element_count(elements[i]); k++)
            *stk_element_edit(*out, number++) = stk_value_ref(stk_element_value(elements[i], k));
    stk_element_set_origin(*out, stk_element_origin(elements[0]));
    return STK_OK;
}
