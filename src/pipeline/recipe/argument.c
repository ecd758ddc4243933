/* One argument: what is written, as its parameter's kind wants it. */
#include "base/suggest.h"
#include "pipeline/recipe/data_recipe.h"
#include "storage/file/paths.h"

#include <inttypes.h>
#include <stdio.h>
#include <stoker/params.h>

/* All that a message needs. */
typedef struct place {
    stk_recipe                 *recipe;
    const stk_recipe_parameter *parameter;
    const char                 *owner;
} place;

typedef stk_status (*bind_fn)(const place *at, const stk_yaml_node *tree, stk_argument *out,
                              stk_error *err);

static const char *const kinds[STK_RECIPE_KINDS] = {
    [STK_RECIPE_INTEGER] = "a whole number",
    [STK_RECIPE_NUMBER] = "a number",
    [STK_RECIPE_BOOL] = "true or false",
    [STK_RECIPE_TEXT] = "a text",
    [STK_RECIPE_CHOICE] = "a word",
    [STK_RECIPE_PATH] = "a path",
    [STK_RECIPE_PATHS] = "a path or a list of paths",
    [STK_RECIPE_INTEGERS] = "a list of whole numbers",
    [STK_RECIPE_NUMBERS] = "a list of numbers",
    [STK_RECIPE_TEXTS] = "a list of texts",
    [STK_RECIPE_DTYPE] = "a type",
    [STK_RECIPE_VALUE] = "a value's name or number",
    [STK_RECIPE_VALUES] = "a list of values' names or numbers",
    [STK_RECIPE_SHAPE] = "a shape",
    [STK_RECIPE_SHAPES] = "a list of shapes",
    [STK_RECIPE_CONSTANTS] = "a list of constants",
    [STK_RECIPE_FEATURES] = "a mapping of names to types",
    [STK_RECIPE_FUNCTION] = "a function",
    [STK_RECIPE_STAGES] = "a list of stages",
    [STK_RECIPE_INPUTS] = "a list of lists of stages",
    [STK_RECIPE_SETTING] = "a word, a number or a list of numbers",
};

const char *stk_recipe_kind_name(stk_recipe_kind kind)
{
    return kind >= 0 && kind < STK_RECIPE_KINDS ? kinds[kind] : "?";
}

static stk_status fail_at(const place *at, const stk_yaml_node *tree, stk_status st, stk_error *err,
                          const char *format, const char *detail)
{
    char key[128], message[400];
    snprintf(key, sizeof key, "%s.%s", at->owner, at->parameter->name);
    snprintf(message, sizeof message, format, detail);
    return stk_yaml_fail(err, st, at->recipe->name, tree->line, key, "%s", message);
}

/* What was found, short. */
static char *found_text(const stk_yaml_node *tree, char *text, size_t capacity)
{
    if (stk_yaml_is_null(tree))
        snprintf(text, capacity, "there is nothing");
    else if (tree->kind == STK_YAML_SCALAR)
        snprintf(text, capacity, tree->plain ? "%.60s" : "\"%.60s\"", tree->text);
    else
        snprintf(text, capacity, tree->kind == STK_YAML_LIST ? "a list" : "a mapping");
    return text;
}

/* The words of a parameter are those of a row. */
static stk_param row_of(const stk_recipe_parameter *parameter)
{
    return (stk_param){.choices = parameter->words, .values = parameter->values};
}

static stk_status wrong_kind(const place *at, const stk_yaml_node *tree, stk_error *err)
{
    char            found[96], message[400];
    const stk_param row = row_of(at->parameter);
    const char     *word, *before = at->parameter->kind == STK_RECIPE_CHOICE ? ": " : " or ";
    int             used = snprintf(message, sizeof message, "%s stands here; it must be %s",
                                    found_text(tree, found, sizeof found), kinds[at->parameter->kind]);
    for (size_t i = 0; (word = stk_param_word(&row, i, NULL)) && used < (int)sizeof message; i++)
        used += snprintf(message + used, sizeof message - (size_t)used, "%s%s", i ? ", " : before,
                         word);
    return fail_at(at, tree, STK_E_INVALID, err, "%s", message);
}

/* The number that a word stands for. */
static bool find_word(const stk_recipe_parameter *parameter, const stk_yaml_node *tree,
                      int64_t *out)
{
    const stk_param row = row_of(parameter);
    const char     *word;
    int             value;
    for (size_t i = 0; (word = stk_param_word(&row, i, &value)); i++) {
        if (tree->kind != STK_YAML_SCALAR || strcmp(word, tree->text) != 0) continue;
        *out = value;
        return true;
    }
    return false;
}

static stk_status bind_integer(const place *at, const stk_yaml_node *tree, stk_argument *out,
                               stk_error *err)
{
    if (find_word(at->parameter, tree, &out->integer)) return STK_OK;
    if (!stk_scalar_integer(tree, &out->integer)) {
        stk_number real;
        char       found[96];
        if (stk_scalar_number(tree, &real))
            return fail_at(at, tree, STK_E_INVALID, err,
                           "%s stands here; it must be a whole number of 64 bits, written out",
                           found_text(tree, found, sizeof found));
        return wrong_kind(at, tree, err);
    }
    if (out->integer < at->parameter->least) {
        char text[96];
        snprintf(text, sizeof text, "%" PRId64 " stands here; the least is %" PRId64, out->integer,
                 at->parameter->least);
        return fail_at(at, tree, STK_E_INVALID, err, "%s", text);
    }
    return STK_OK;
}

static stk_status bind_number(const place *at, const stk_yaml_node *tree, stk_argument *out,
                              stk_error *err)
{
    return stk_scalar_number(tree, &out->number) ? STK_OK : wrong_kind(at, tree, err);
}

static stk_status bind_bool(const place *at, const stk_yaml_node *tree, stk_argument *out,
                            stk_error *err)
{
    return stk_scalar_bool(tree, &out->truth) ? STK_OK : wrong_kind(at, tree, err);
}

static stk_status bind_text(const place *at, const stk_yaml_node *tree, stk_argument *out,
                            stk_error *err)
{
    if (tree->kind != STK_YAML_SCALAR || stk_yaml_is_null(tree)) return wrong_kind(at, tree, err);
    if (strlen(tree->text) != tree->length)
        return fail_at(at, tree, STK_E_INVALID, err, "the text holds a zero byte%s", "");
    out->text = tree->text;
    return STK_OK;
}

static stk_status bind_choice(const place *at, const stk_yaml_node *tree, stk_argument *out,
                              stk_error *err)
{
    return find_word(at->parameter, tree, &out->integer) ? STK_OK : wrong_kind(at, tree, err);
}

static stk_status bind_path(const place *at, const stk_yaml_node *tree, stk_argument *out,
                            stk_error *err)
{
    STK_TRY(bind_text(at, tree, out, err));
    if (!*out->text) return fail_at(at, tree, STK_E_INVALID, err, "the path is empty%s", "");
    stk_blob joined;
    stk_blob_init(&joined, NULL, STK_MEMORY_INDEX);
    stk_status st = stk_path_join(&joined, at->recipe->folder, out->text, err);
    if (!st) {
        out->text = stk_arena_text(&at->recipe->arena, (const char *)joined.data, joined.size, err);
        st = out->text ? STK_OK : STK_E_NOMEM;
    }
    stk_blob_release(&joined);
    return st;
}

static stk_status bind_dtype(const place *at, const stk_yaml_node *tree, stk_argument *out,
                             stk_error *err)
{
    STK_TRY(bind_text(at, tree, out, err));
    out->integer = stk_dtype_from_name(out->text);
    if (out->integer) return STK_OK;
    char        text[64], message[128];
    stk_suggest suggest = {.wanted = out->text};
    for (int i = 1; i < STK_DTYPE_COUNT; i++)
        stk_suggest_offer(&suggest, stk_dtype_name((stk_dtype)i));
    snprintf(message, sizeof message, "there is no type %.40s%s", out->text,
             stk_suggest_text(&suggest, text, sizeof text));
    return fail_at(at, tree, STK_E_INVALID, err, "%s", message);
}

/* A number, a word, or else the name of a value, which is looked for when the stage is built. */
static stk_status bind_value(const place *at, const stk_yaml_node *tree, stk_argument *out,
                             stk_error *err)
{
    if (find_word(at->parameter, tree, &out->integer)) return STK_OK;
    if (!stk_scalar_integer(tree, &out->integer)) return bind_text(at, tree, out, err);
    return out->integer >= 0 && out->integer < 4096
               ? STK_OK
               : fail_at(at, tree, STK_E_INVALID, err, "%s", "values are numbered from 0 to 4095");
}

static stk_status need_list(const place *at, const stk_yaml_node *tree, stk_error *err)
{
    return tree->kind == STK_YAML_LIST ? STK_OK : wrong_kind(at, tree, err);
}

static void *array_for(const place *at, const stk_yaml_node *tree, size_t size, stk_error *err)
{
    return stk_arena_array(&at->recipe->arena, tree->count ? tree->count : 1, size, err);
}

static stk_status bind_integers(const place *at, const stk_yaml_node *tree, stk_argument *out,
                                stk_error *err)
{
    STK_TRY(need_list(at, tree, err));
    int64_t *numbers = array_for(at, tree, sizeof *numbers, err);
    if (!numbers) return STK_E_NOMEM;
    out->integers = numbers;
    for (const stk_yaml_node *item = tree->first; item; item = item->next) {
        stk_argument one = {0};
        STK_TRY(bind_integer(at, item, &one, err));
        numbers[out->count++] = one.integer;
    }
    return STK_OK;
}

static stk_status bind_numbers(const place *at, const stk_yaml_node *tree, stk_argument *out,
                               stk_error *err)
{
    STK_TRY(need_list(at, tree, err));
    double *numbers = array_for(at, tree, sizeof *numbers, err);
    if (!numbers) return STK_E_NOMEM;
    out->reals = numbers;
    for (const stk_yaml_node *item = tree->first; item; item = item->next) {
        stk_number one;
        if (!stk_scalar_number(item, &one)) return wrong_kind(at, item, err);
        numbers[out->count++] = one.is_float ? one.floating : (double)one.integer;
    }
    return STK_OK;
}

/* Lists of what each gives as a text. */
static stk_status bind_list(const place *at, const stk_yaml_node *tree, bind_fn each,
                            stk_argument *out, stk_error *err)
{
    const char **texts = array_for(at, tree, sizeof *texts, err);
    int64_t     *numbers = array_for(at, tree, sizeof *numbers, err);
    if (!texts || !numbers) return STK_E_NOMEM;
    out->texts = texts;
    out->integers = numbers;
    for (const stk_yaml_node *item = tree->first; item; item = item->next) {
        stk_argument one = {0};
        STK_TRY(each(at, item, &one, err));
        numbers[out->count] = one.integer;
        texts[out->count++] = one.text;
    }
    return STK_OK;
}

static stk_status bind_texts(const place *at, const stk_yaml_node *tree, stk_argument *out,
                             stk_error *err)
{
    STK_TRY(need_list(at, tree, err));
    return bind_list(at, tree, bind_text, out, err);
}

static stk_status bind_values(const place *at, const stk_yaml_node *tree, stk_argument *out,
                              stk_error *err)
{
    STK_TRY(need_list(at, tree, err));
    return bind_list(at, tree, bind_value, out, err);
}

static stk_status bind_paths(const place *at, const stk_yaml_node *tree, stk_argument *out,
                             stk_error *err)
{
    if (tree->kind == STK_YAML_MAP) return wrong_kind(at, tree, err);
    if (tree->kind == STK_YAML_LIST) return bind_list(at, tree, bind_path, out, err);
    /* In a mapping a value has siblings; the list of one ends after it. */
    stk_yaml_node item = *tree;
    item.next = NULL;
    const stk_yaml_node list = {
        .kind = STK_YAML_LIST, .line = tree->line, .first = &item, .count = 1};
    return bind_list(at, &list, bind_path, out, err);
}

static stk_status read_shape(const place *at, const stk_yaml_node *tree, stk_shape *shape,
                             stk_error *err)
{
    *shape = stk_shape_scalar();
    if (tree->kind != STK_YAML_LIST || tree->count > STK_MAX_RANK) {
        char text[96];
        snprintf(text, sizeof text, "a shape is a list of at most %d dimensions, such as [28, 28]",
                 STK_MAX_RANK);
        return fail_at(at, tree, STK_E_INVALID, err, "%s", text);
    }
    for (const stk_yaml_node *item = tree->first; item; item = item->next) {
        int64_t dimension;
        if (!stk_scalar_integer(item, &dimension) || dimension < -1)
            return fail_at(at, item, STK_E_INVALID, err, "%s",
                           "a dimension is 0 or more, or -1 where it is not fixed");
        shape->dim[shape->rank++] = dimension;
    }
    return STK_OK;
}

static stk_status bind_shape(const place *at, const stk_yaml_node *tree, stk_argument *out,
                             stk_error *err)
{
    stk_shape *shape = stk_arena_alloc(&at->recipe->arena, sizeof *shape, err);
    if (!shape) return STK_E_NOMEM;
    out->shapes = shape;
    out->count = 1;
    return read_shape(at, tree, shape, err);
}

static stk_status bind_shapes(const place *at, const stk_yaml_node *tree, stk_argument *out,
                              stk_error *err)
{
    STK_TRY(need_list(at, tree, err));
    stk_shape *shapes = array_for(at, tree, sizeof *shapes, err);
    if (!shapes) return STK_E_NOMEM;
    out->shapes = shapes;
    for (const stk_yaml_node *item = tree->first; item; item = item->next)
        STK_TRY(read_shape(at, item, &shapes[out->count++], err));
    return STK_OK;
}

static stk_status bind_constants(const place *at, const stk_yaml_node *tree, stk_argument *out,
                                 stk_error *err)
{
    STK_TRY(need_list(at, tree, err));
    out->tree = tree;
    out->count = tree->count;
    return STK_OK;
}

static stk_status bind_features(const place *at, const stk_yaml_node *tree, stk_argument *out,
                                stk_error *err)
{
    if (tree->kind != STK_YAML_MAP) return wrong_kind(at, tree, err);
    out->tree = tree;
    out->count = tree->count;
    return STK_OK;
}

static stk_status bind_function(const place *at, const stk_yaml_node *tree, stk_argument *out,
                                stk_error *err)
{
    return stk_recipe_bind_function(at->recipe, at->parameter->role, at->owner, tree,
                                    &out->function, err);
}

static stk_status bind_stages(const place *at, const stk_yaml_node *tree, stk_argument *out,
                              stk_error *err)
{
    stk_stages *stages = stk_arena_alloc(&at->recipe->arena, sizeof *stages, err);
    if (!stages) return STK_E_NOMEM;
    out->stages = stages;
    out->tree = tree;
    out->count = 1;
    /* choices of choose_from are data of their own; all others stand on data. */
    const bool is_inner = at->parameter->role != STK_RECIPE_SOURCE;
    return stk_recipe_bind_stages(at->recipe, tree, is_inner, stages, err);
}

static stk_status bind_inputs(const place *at, const stk_yaml_node *tree, stk_argument *out,
                              stk_error *err)
{
    STK_TRY(need_list(at, tree, err));
    stk_stages *inputs = array_for(at, tree, sizeof *inputs, err);
    if (!inputs) return STK_E_NOMEM;
    out->stages = inputs;
    for (const stk_yaml_node *item = tree->first; item; item = item->next)
        STK_TRY(stk_recipe_bind_stages(at->recipe, item, false, &inputs[out->count++], err));
    return STK_OK;
}

/* "0.08,1": what the operation itself reads, as text. */
static stk_status bind_setting(const place *at, const stk_yaml_node *tree, stk_argument *out,
                               stk_error *err)
{
    enum { LONGEST = 200 };
    char                 text[LONGEST + 1];
    size_t               used = 0;
    const stk_yaml_node *item = tree->kind == STK_YAML_LIST ? tree->first : tree;
    if (!item || stk_yaml_is_null(tree)) return wrong_kind(at, tree, err);
    for (; item; item = tree->kind == STK_YAML_LIST ? item->next : NULL) {
        const bool fits = item->kind == STK_YAML_SCALAR && item->length + 1 < LONGEST - used &&
                          !memchr(item->text, ' ', item->length);
        if (!fits) return wrong_kind(at, tree, err);
        if (used) text[used++] = ',';
        memcpy(text + used, item->text, item->length);
        used += item->length;
    }
    out->text = stk_arena_text(&at->recipe->arena, text, used, err);
    return out->text ? STK_OK : STK_E_NOMEM;
}

static const bind_fn binds[STK_RECIPE_KINDS] = {
    [STK_RECIPE_INTEGER] = bind_integer,   [STK_RECIPE_NUMBER] = bind_number,
    [STK_RECIPE_BOOL] = bind_bool,         [STK_RECIPE_TEXT] = bind_text,
    [STK_RECIPE_CHOICE] = bind_choice,     [STK_RECIPE_PATH] = bind_path,
    [STK_RECIPE_PATHS] = bind_paths,       [STK_RECIPE_INTEGERS] = bind_integers,
    [STK_RECIPE_NUMBERS] = bind_numbers,   [STK_RECIPE_TEXTS] = bind_texts,
    [STK_RECIPE_DTYPE] = bind_dtype,       [STK_RECIPE_VALUE] = bind_value,
    [STK_RECIPE_VALUES] = bind_values,     [STK_RECIPE_SHAPE] = bind_shape,
    [STK_RECIPE_SHAPES] = bind_shapes,     [STK_RECIPE_CONSTANTS] = bind_constants,
    [STK_RECIPE_FEATURES] = bind_features, [STK_RECIPE_FUNCTION] = bind_function,
    [STK_RECIPE_STAGES] = bind_stages,     [STK_RECIPE_INPUTS] = bind_inputs,
    [STK_RECIPE_SETTING] = bind_setting,
};

stk_status stk_recipe_bind_argument(stk_recipe *recipe, const stk_recipe_parameter *parameter,
                                    const char *owner, const stk_yaml_node *tree, stk_argument *out,
                                    stk_error *err)
{
    const place at = {recipe, parameter, owner};
    *out = (stk_argument){.line = tree->line};
    STK_TRY(binds[parameter->kind](&at, tree, out, err));
    out->given = true;
    return STK_OK;
}
