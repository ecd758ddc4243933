/* Bound stages to datasets, bound functions to functions. */
#include "base/suggest.h"
#include "pipeline/recipe/data_recipe.h"

#include <stdio.h>
#include <stdlib.h>

stk_status stk_recipe_locate_error(const stk_recipe *recipe, const stk_recipe_call *bound,
                                   stk_status st, stk_error *err)
{
    if (!st || !err) return st;
    const char *name = stk_yaml_name_end(recipe->name);
    const char *begin = strstr(err->where, name);
    const bool  is_placed = begin && begin[strlen(name)] == ':' &&
                           (begin == err->where || strncmp(err->where, "...", 3) == 0);
    if (is_placed) return st;
    const stk_error was = *err;
    const bool      named = was.where[0] && strcmp(was.where, bound->entry->info.name) != 0;
    stk_yaml_fail(err, st, recipe->name, bound->line, bound->entry->info.name, "%s%s%s",
                  named ? was.where : "", named ? ": " : "", was.message);
    err->component = was.component;
    return st;
}

stk_status stk_recipe_make(stk_recipe *recipe, const stk_recipe_call *bound,
                           const stk_element_spec *input, stk_function **out, stk_error *err)
{
    *out = NULL;
    if (err) *err = (stk_error){0};
    return stk_recipe_locate_error(recipe, bound,
                                   bound->entry->make(recipe, bound, input, out, err), err);
}

stk_status stk_recipe_build(stk_recipe *recipe, const stk_stages *stages, stk_dataset **data,
                            stk_error *err)
{
    stk_dataset *made = stk_dataset_ref(*data);
    for (size_t i = 0; i < stages->count; i++) {
        const stk_recipe_call *bound = &stages->list[i];
        if (err) *err = (stk_error){0};
        stk_status st = bound->entry->build(recipe, bound, &made, err);
        if (st) {
            stk_dataset_unref(made);
            return stk_recipe_locate_error(recipe, bound, st, err);
        }
    }
    stk_dataset_unref(*data);
    *data = made;
    return STK_OK;
}

static stk_status no_value(const stk_recipe *recipe, const stk_argument *argument,
                           const char *owner, const stk_element_spec *input, stk_error *err)
{
    char        text[96], list[300] = "";
    size_t      used = 0;
    stk_suggest suggest = {.wanted = argument->text};
    if (!input->known)
        return stk_yaml_fail(err, STK_E_INVALID, recipe->name, argument->line, owner,
                             "the values have no known names here, so \"%.60s\" cannot be found; "
                             "give the value's number instead",
                             argument->text);
    for (size_t i = 0; i < input->count; i++) {
        const char *name = input->values[i].name ? input->values[i].name : "?";
        stk_suggest_offer(&suggest, name);
        if (used < sizeof list - 64)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%.60s", used ? ", " : "",
                                     name);
    }
    return stk_yaml_fail(err, STK_E_INVALID, recipe->name, argument->line, owner,
                         "there is no value \"%.60s\"%s The values are: %s", argument->text,
                         suggest.best ? stk_suggest_text(&suggest, text, sizeof text) : ".", list);
}

stk_status stk_recipe_value(const stk_recipe *recipe, const stk_argument *argument,
                            const char *owner, const stk_element_spec *input, int *out,
                            stk_error *err)
{
    *out = (int)argument->integer;
    if (!argument->text) return STK_OK;
    *out = stk_element_spec_find(input, argument->text);
    return *out < 0 ? no_value(recipe, argument, owner, input, err) : STK_OK;
}

/* Inner pipelines: built on each dataset that an element becomes. */
typedef struct inner {
    stk_recipe       *recipe;
    const stk_stages *stages;
} inner;

static stk_status apply(void *context, stk_dataset **data, stk_error *err)
{
    const inner *in = context;
    return stk_recipe_build(in->recipe, in->stages, data, err);
}

static void release(void *context)
{
    inner *in = context;
    stk_recipe_unref(in->recipe);
    free(in);
}

static stk_status make_inner(stk_recipe *recipe, const stk_argument *stages, stk_function *expand,
                             const char *details, stk_function **out, stk_error *err)
{
    inner *in = malloc(sizeof *in);
    if (!in) return stk_fail(err, STK_E_NOMEM, "recipe", recipe->name, "no memory for a stage");
    *in = (inner){stk_recipe_ref(recipe), stages->stages};
    const stk_pipeline_info info = {
        .expand = expand, .details = details, .context = in, .release = release, .apply = apply};
    stk_status st = stk_function_pipeline(out, &info, err);
    if (st) release(in);
    return st;
}

stk_status stk_recipe_make_inner(stk_recipe *recipe, const stk_argument *stages,
                                 stk_function *expand, stk_function **out, stk_error *err)
{
    *out = NULL;
    if (!stages->given) {
        *out = expand;
        return STK_OK;
    }
    stk_blob details;
    stk_blob_init(&details, NULL, STK_MEMORY_INDEX);
    stk_status st = stk_yaml_text(stages->tree, &details, err);
    if (!st) st = stk_blob_append(&details, "", 1, err);
    if (!st) st = make_inner(recipe, stages, expand, (const char *)details.data, out, err);
    stk_blob_release(&details);
    stk_function_unref(expand);
    return st;
}
