/* Features of parse_example: `label: int64`, or a mapping with dtype, shape, kind and default. */
#include "base/suggest.h"
#include "pipeline/recipe/data_recipe.h"

static const char *const keys[] = {"dtype", "shape", "kind", "default"};

static stk_status fail_on(const stk_recipe *recipe, const stk_yaml_node *tree, stk_error *err,
                          const char *message)
{
    return stk_yaml_fail(err, STK_E_INVALID, recipe->name, tree->line, tree->key, "%s", message);
}

/* The default as a dense value in arena; strings point into the recipe. */
static stk_status read_default(const stk_recipe *recipe, const stk_yaml_node *tree,
                               stk_arena *arena, stk_feature_spec *spec, stk_error *err)
{
    stk_value value;
    STK_TRY(stk_recipe_constant(recipe, tree, spec->dtype, &value, err));
    const size_t count = (size_t)stk_value_elements(&value);
    const size_t size = stk_dtype_bytes(spec->dtype);
    uint8_t     *copy = stk_arena_array(arena, count + 1, size, err);
    if (copy) memcpy(copy, stk_value_data(&value), count * size);
    for (size_t i = 0; copy && spec->dtype == STK_DTYPE_BYTES && i < count; i++) {
        stk_bytes  *text = &((stk_bytes *)(void *)copy)[i];
        const char *kept = stk_arena_text(arena, (const char *)text->data, text->size, err);
        if (!kept)
            copy = NULL;
        else
            text->data = (const uint8_t *)kept;
    }
    stk_value_release(&value);
    if (!copy) return STK_E_NOMEM;
    spec->has_default = true;
    spec->default_value = copy;
    spec->default_count = count;
    return STK_OK;
}

static const stk_yaml_node *child(const stk_yaml_node *tree, const char *key)
{
    const stk_yaml_node *item = tree->first;
    while (item && strcmp(item->key, key) != 0)
        item = item->next;
    return item;
}

static stk_status check_keys(const stk_recipe *recipe, const stk_yaml_node *tree, stk_error *err)
{
    for (const stk_yaml_node *item = tree->first; item; item = item->next) {
        bool        known = false;
        char        text[64];
        stk_suggest suggest = {.wanted = item->key};
        for (size_t i = 0; i < STK_COUNT_OF(keys); i++) {
            known = known || strcmp(item->key, keys[i]) == 0;
            stk_suggest_offer(&suggest, keys[i]);
        }
        if (!known)
            return stk_yaml_fail(err, STK_E_INVALID, recipe->name, item->line, item->key,
                                 "a feature has the keys dtype, shape, kind and default%s",
                                 stk_suggest_text(&suggest, text, sizeof text));
    }
    return STK_OK;
}

static stk_status read_kind(const stk_recipe *recipe, const stk_yaml_node *tree,
                            stk_feature_spec *spec, stk_error *err)
{
    static const char *const names[] = {"dense", "padded", "varlen"};
    if (!tree) return STK_OK;
    for (int i = 0; i < 3 && tree->kind == STK_YAML_SCALAR; i++)
        if (strcmp(tree->text, names[i]) == 0) {
            spec->kind = (stk_feature_kind)i;
            return STK_OK;
        }
    return fail_on(recipe, tree, err, "a feature's kind is dense, padded or varlen");
}

static stk_status read_shape(const stk_recipe *recipe, const stk_yaml_node *tree, stk_shape *shape,
                             stk_error *err)
{
    *shape = stk_shape_scalar();
    if (!tree) return STK_OK;
    if (tree->kind != STK_YAML_LIST || tree->count > STK_MAX_RANK)
        return fail_on(recipe, tree, err, "a shape is a list of at most 8 dimensions");
    for (const stk_yaml_node *item = tree->first; item; item = item->next)
        if (!stk_scalar_integer(item, &shape->dim[shape->rank++]) ||
            shape->dim[shape->rank - 1] < 0)
            return fail_on(recipe, tree, err,
                           "a dimension of a feature is a number of 0 or more; use kind: padded or "
                           "varlen where it differs from example to example");
    return STK_OK;
}

static stk_status read_feature(const stk_recipe *recipe, const stk_yaml_node *tree,
                               stk_arena *arena, stk_feature_spec *spec, stk_error *err)
{
    const bool is_map = tree->kind == STK_YAML_MAP;
    if (is_map) STK_TRY(check_keys(recipe, tree, err));
    const stk_yaml_node *dtype = is_map ? child(tree, "dtype") : tree;
    *spec = (stk_feature_spec){.name = tree->key};
    if (dtype && dtype->kind == STK_YAML_SCALAR) spec->dtype = stk_dtype_from_name(dtype->text);
    if (spec->dtype != STK_DTYPE_I64 && spec->dtype != STK_DTYPE_F32 &&
        spec->dtype != STK_DTYPE_BYTES)
        return fail_on(recipe, dtype ? dtype : tree, err,
                       "a feature is of int64, float32 or bytes; cast it after parsing");
    if (!is_map) return STK_OK;
    STK_TRY(read_kind(recipe, child(tree, "kind"), spec, err));
    STK_TRY(read_shape(recipe, child(tree, "shape"), &spec->shape, err));
    const stk_yaml_node *fallback = child(tree, "default");
    return fallback ? read_default(recipe, fallback, arena, spec, err) : STK_OK;
}

stk_status stk_recipe_features(const stk_recipe *recipe, const stk_yaml_node *tree,
                               stk_arena *arena, stk_feature_spec **out, size_t *count,
                               stk_error *err)
{
    stk_feature_spec *specs = stk_arena_array(arena, tree->count + 1, sizeof *specs, err);
    if (!specs) return STK_E_NOMEM;
    *out = specs;
    *count = 0;
    for (const stk_yaml_node *item = tree->first; item; item = item->next)
        STK_TRY(read_feature(recipe, item, arena, &specs[(*count)++], err));
    return STK_OK;
}
