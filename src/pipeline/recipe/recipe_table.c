/* The tables of operators and functions, looked through as one. */
#include "pipeline/recipe/data_recipe.h"

#include "pipeline/recipe/recipe_table.h"

stk_entries stk_recipe_operators(size_t part)
{
    static const stk_entries *const parts[] = {
        &stk_recipe_sources,      &stk_recipe_file_sources, &stk_recipe_element_stages,
        &stk_recipe_batch_stages, &stk_recipe_group_stages, &stk_recipe_order_stages,
        &stk_recipe_join_stages,  &stk_recipe_keep_stages,  &stk_recipe_image_stages};
    return part < STK_COUNT_OF(parts) ? *parts[part] : (stk_entries){0};
}

/* The operations on images have their own list, which comes last. */
stk_entries stk_recipe_functions(size_t part)
{
    static const stk_entries *const parts[] = {
        &stk_recipe_number_functions, &stk_recipe_value_functions, &stk_recipe_expand_functions,
        &stk_recipe_image_functions};
    if (part == STK_COUNT_OF(parts)) return stk_recipe_image_operations();
    return part < STK_COUNT_OF(parts) ? *parts[part] : (stk_entries){0};
}

static const stk_recipe_row *at(stk_entries (*parts)(size_t part), size_t index)
{
    for (size_t part = 0; parts(part).list; part++) {
        if (index < parts(part).count) return &parts(part).list[index];
        index -= parts(part).count;
    }
    return NULL;
}

const stk_recipe_entry *stk_recipe_operator_at(size_t index)
{
    const stk_recipe_row *entry = at(stk_recipe_operators, index);
    return entry ? &entry->info : NULL;
}

const stk_recipe_entry *stk_recipe_function_at(size_t index)
{
    const stk_recipe_row *entry = at(stk_recipe_functions, index);
    return entry ? &entry->info : NULL;
}

static bool is_called(const stk_recipe_entry *entry, const char *name)
{
    return strcmp(entry->name, name) == 0 ||
           (entry->renamed_from && strcmp(entry->renamed_from, name) == 0);
}

const stk_recipe_row *stk_recipe_find_operator(const char *name)
{
    for (size_t i = 0; at(stk_recipe_operators, i); i++)
        if (is_called(&at(stk_recipe_operators, i)->info, name)) return at(stk_recipe_operators, i);
    return NULL;
}

const stk_recipe_row *stk_recipe_find_function(stk_recipe_role role, const char *name)
{
    for (size_t i = 0; at(stk_recipe_functions, i); i++) {
        const stk_recipe_row *entry = at(stk_recipe_functions, i);
        if (entry->info.role == role && strcmp(entry->info.name, name) == 0) return entry;
    }
    return NULL;
}
