/* Stages and functions: found in the tables, their arguments bound. */
#include "base/suggest.h"
#include "pipeline/recipe/data_recipe.h"

#include <stdio.h>

static const char *role_name(stk_recipe_role role)
{
    static const char *const names[] = {
        [STK_RECIPE_MAP] = "map function",
        [STK_RECIPE_KEY] = "key function",
        [STK_RECIPE_EXPAND] = "function that makes a dataset",
        [STK_RECIPE_SCAN] = "scan function",
    };
    return names[role];
}

static void offer_functions(stk_suggest *suggest, stk_recipe_role role)
{
    for (size_t i = 0; stk_recipe_function_at(i); i++)
        if (stk_recipe_function_at(i)->role == role)
            stk_suggest_offer(suggest, stk_recipe_function_at(i)->name);
}

static stk_status no_operator(const stk_recipe *recipe, int line, const char *name, stk_error *err)
{
    char        text[96];
    stk_suggest suggest = {.wanted = name};
    for (size_t i = 0; stk_recipe_operator_at(i); i++)
        stk_suggest_offer(&suggest, stk_recipe_operator_at(i)->name);
    return stk_yaml_fail(err, STK_E_INVALID, recipe->name, line, name,
                         "there is no operator of this name%s",
                         stk_suggest_text(&suggest, text, sizeof text));
}

static stk_status no_function(const stk_recipe *recipe, int line, const char *owner,
                              const char *name, stk_recipe_role role, stk_error *err)
{
    char        text[96], list[300] = "";
    size_t      used = 0;
    stk_suggest suggest = {.wanted = name};
    offer_functions(&suggest, role);
    for (size_t i = 0; stk_recipe_function_at(i); i++)
        if (stk_recipe_function_at(i)->role == role && used < sizeof list - 40)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                                     stk_recipe_function_at(i)->name);
    return stk_yaml_fail(err, STK_E_INVALID, recipe->name, line, owner,
                         "there is no %s \"%.40s\"%s There are: %s", role_name(role), name,
                         suggest.best ? stk_suggest_text(&suggest, text, sizeof text) : ".", list);
}

/* The parameter that takes functions by their names as keys; -1: none. */
static int function_parameter(const stk_recipe_entry *info)
{
    for (size_t i = 0; i < info->parameter_count; i++)
        if (info->parameters[i].here) return (int)i;
    return -1;
}

static stk_status no_key(const stk_recipe *recipe, const stk_recipe_entry *info,
                         const stk_yaml_node *tree, stk_error *err)
{
    char        text[96], list[300] = "";
    size_t      used = 0;
    stk_suggest suggest = {.wanted = tree->key};
    for (size_t i = 0; i < info->parameter_count; i++) {
        stk_suggest_offer(&suggest, info->parameters[i].name);
        if (used < sizeof list - 40)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "",
                                     info->parameters[i].name);
    }
    const int  function = function_parameter(info);
    const bool takes = function >= 0;
    if (takes) offer_functions(&suggest, info->parameters[function].role);
    char key[128];
    snprintf(key, sizeof key, "%s.%.80s", info->name, tree->key);
    return stk_yaml_fail(err, STK_E_INVALID, recipe->name, tree->line, key,
                         "%s has no key of this name%s %s: %s%s", info->name,
                         suggest.best ? stk_suggest_text(&suggest, text, sizeof text) : ";",
                         info->parameter_count ? "Allowed are" : "It takes none", list,
                         takes ? ", or a function's name" : "");
}

void stk_recipe_note_rename(const stk_recipe *recipe, const char *owner, const char *former,
                            const char *name)
{
    char        text[256];
    const char *dot = *owner ? "." : "";
    if (!recipe->note) return;
    snprintf(text, sizeof text, "%s%s%s is now called %s%s%s", owner, dot, former, owner, dot,
             name);
    recipe->note(recipe->note_context, text);
}

/* A parameter by its name or its former name. Both at once are a parameter given twice. */
static stk_status bind_parameter(stk_recipe *recipe, const stk_recipe_entry *info,
                                 const stk_recipe_parameter *parameter, const stk_yaml_node *tree,
                                 stk_argument *out, stk_error *err)
{
    const bool former = strcmp(parameter->name, tree->key) != 0;
    if (out->given)
        return stk_yaml_fail(err, STK_E_INVALID, recipe->name, tree->line, info->name,
                             "%s is given twice%s%s%s", parameter->name,
                             parameter->renamed_from ? "; " : "",
                             parameter->renamed_from ? parameter->renamed_from : "",
                             parameter->renamed_from ? " is its former name" : "");
    if (former) stk_recipe_note_rename(recipe, info->name, tree->key, parameter->name);
    return stk_recipe_bind_argument(recipe, parameter, info->name, tree, out, err);
}

static bool is_called(const stk_recipe_parameter *parameter, const char *key)
{
    return strcmp(parameter->name, key) == 0 ||
           (parameter->renamed_from && strcmp(parameter->renamed_from, key) == 0);
}

/* One key of a mapping: a parameter, or a function's name. */
static stk_status bind_key(stk_recipe *recipe, const stk_recipe_entry *info,
                           const stk_yaml_node *tree, stk_argument *arguments, stk_error *err)
{
    for (size_t i = 0; i < info->parameter_count; i++)
        if (is_called(&info->parameters[i], tree->key))
            return bind_parameter(recipe, info, &info->parameters[i], tree, &arguments[i], err);
    const int here = function_parameter(info);
    if (here < 0) return no_key(recipe, info, tree, err);
    const stk_recipe_row *entry = stk_recipe_find_function(info->parameters[here].role, tree->key);
    if (!entry) return no_key(recipe, info, tree, err);
    if (arguments[here].given)
        return stk_yaml_fail(err, STK_E_INVALID, recipe->name, tree->line, info->name,
                             "%s is a second function here; give it a stage of its own", tree->key);
    stk_recipe_call *function = stk_arena_alloc(&recipe->arena, sizeof *function, err);
    if (!function) return STK_E_NOMEM;
    arguments[here] = (stk_argument){.given = true, .line = tree->line, .function = function};
    return stk_recipe_bind_row(recipe, entry, tree, tree->line, function, err);
}

/* What was not given: the default, or an error where it is required. */
static stk_status complete(stk_recipe *recipe, const stk_recipe_entry *info, int line,
                           stk_argument *arguments, stk_error *err)
{
    for (size_t i = 0; i < info->parameter_count; i++) {
        const stk_recipe_parameter *parameter = &info->parameters[i];
        if (arguments[i].given) continue;
        if (parameter->required)
            return stk_yaml_fail(err, STK_E_INVALID, recipe->name, line, info->name,
                                 "%s needs `%s`: %s (%s)", info->name, parameter->name,
                                 parameter->help, stk_recipe_kind_name(parameter->kind));
        if (!parameter->default_value) continue;
        const stk_yaml_node text = {.kind = STK_YAML_SCALAR,
                                    .line = line,
                                    .plain = true,
                                    .text = parameter->default_value,
                                    .length = strlen(parameter->default_value)};
        STK_TRY(stk_recipe_bind_argument(recipe, parameter, info->name, &text, &arguments[i], err));
        arguments[i].given = false;
    }
    return STK_OK;
}

stk_status stk_recipe_bind_row(stk_recipe *recipe, const stk_recipe_row *entry,
                               const stk_yaml_node *tree, int line, stk_recipe_call *out,
                               stk_error *err)
{
    const stk_recipe_entry *info = &entry->info;
    stk_argument           *arguments =
        stk_arena_array(&recipe->arena, info->parameter_count + 1, sizeof *arguments, err);
    if (!arguments) return STK_E_NOMEM;
    memset(arguments, 0, (info->parameter_count + 1) * sizeof *arguments);
    *out = (stk_recipe_call){.entry = entry, .arguments = arguments, .line = line};
    if (tree && tree->kind == STK_YAML_MAP) {
        for (const stk_yaml_node *item = tree->first; item; item = item->next)
            STK_TRY(bind_key(recipe, info, item, arguments, err));
    } else if (tree && !stk_yaml_is_null(tree)) {
        if (!info->parameter_count)
            return stk_yaml_fail(err, STK_E_INVALID, recipe->name, tree->line, info->name,
                                 "%s takes no parameters", info->name);
        STK_TRY(stk_recipe_bind_argument(recipe, &info->parameters[0], info->name, tree,
                                         &arguments[0], err));
    }
    return complete(recipe, info, line, arguments, err);
}

/* A name alone, or {name: parameters}. */
static stk_status split(const stk_recipe *recipe, const stk_yaml_node *tree, const char *what,
                        const char **name, const stk_yaml_node **parameters, stk_error *err)
{
    *parameters = NULL;
    *name = "";
    if (tree->kind == STK_YAML_SCALAR && tree->length && strlen(tree->text) == tree->length) {
        *name = tree->text;
        return STK_OK;
    }
    if (tree->kind == STK_YAML_MAP && tree->count == 1) {
        *name = tree->first->key;
        *parameters = tree->first;
        return STK_OK;
    }
    return stk_yaml_fail(err, STK_E_INVALID, recipe->name, tree->line, tree->key,
                         "%s is a name, or a mapping of one name to its parameters%s", what,
                         tree->kind == STK_YAML_MAP && tree->count > 1
                             ? "; this one has several keys: begin each with a dash, or indent the "
                               "parameters"
                             : "");
}

stk_status stk_recipe_bind_function(stk_recipe *recipe, stk_recipe_role role, const char *owner,
                                    const stk_yaml_node *tree, const stk_recipe_call **out,
                                    stk_error *err)
{
    const char          *name;
    const stk_yaml_node *parameters;
    STK_TRY(split(recipe, tree, "a function", &name, &parameters, err));
    const stk_recipe_row *entry = stk_recipe_find_function(role, name);
    if (!entry) return no_function(recipe, tree->line, owner, name, role, err);
    stk_recipe_call *function = stk_arena_alloc(&recipe->arena, sizeof *function, err);
    if (!function) return STK_E_NOMEM;
    *out = function;
    return stk_recipe_bind_row(recipe, entry, parameters, tree->line, function, err);
}

static stk_status bind_stage(stk_recipe *recipe, const stk_yaml_node *tree, bool is_first,
                             stk_recipe_call *out, stk_error *err)
{
    const char          *name;
    const stk_yaml_node *parameters;
    STK_TRY(split(recipe, tree, "a stage", &name, &parameters, err));
    const int             line = parameters ? parameters->line : tree->line;
    const stk_recipe_row *entry = stk_recipe_find_operator(name);
    if (!entry) return no_operator(recipe, line, name, err);
    if (strcmp(entry->info.name, name) != 0)
        stk_recipe_note_rename(recipe, "", name, entry->info.name);
    if (is_first && entry->info.role == STK_RECIPE_STAGE)
        return stk_yaml_fail(err, STK_E_INVALID, recipe->name, line, name,
                             "the first stage must be a source, such as tfrecord, files or range");
    if (!is_first && entry->info.role == STK_RECIPE_SOURCE)
        return stk_yaml_fail(err, STK_E_INVALID, recipe->name, line, name,
                             "%s is a source and can only be the first stage; concatenate and zip "
                             "join several",
                             name);
    return stk_recipe_bind_row(recipe, entry, parameters, line, out, err);
}

stk_status stk_recipe_bind_stages(stk_recipe *recipe, const stk_yaml_node *tree, bool is_inner,
                                  stk_stages *out, stk_error *err)
{
    *out = (stk_stages){0};
    const bool   alone = tree->kind != STK_YAML_LIST && !stk_yaml_is_null(tree);
    const size_t count = alone ? 1 : tree->count;
    if (!count)
        return stk_yaml_fail(err, STK_E_INVALID, recipe->name, tree->line, tree->key,
                             "a list of stages is needed here, such as [range: 10]");
    stk_recipe_call *list = stk_arena_array(&recipe->arena, count, sizeof *list, err);
    if (!list) return STK_E_NOMEM;
    out->list = list;
    if (alone) {
        out->count = 1;
        return bind_stage(recipe, tree, !is_inner, list, err);
    }
    for (const stk_yaml_node *item = tree->first; item; item = item->next, out->count++)
        STK_TRY(bind_stage(recipe, item, !is_inner && !out->count, &list[out->count], err));
    return STK_OK;
}
