/* Features of parse_example and parse_sequence_example: `label: int64`, or a mapping with dtype,
 * shape, kind and default; lists of steps have missing in place of a default. */
#include "base/suggest.h"
#include "pipeline/recipe/data_recipe.h"

static const char *const feature_keys[] = {"dtype", "shape", "kind", "default"};
static const char *const list_keys[] = {"dtype", "shape", "kind", "missing"};
enum { KEYS = 4 };

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

static stk_status check_keys(const stk_recipe *recipe, const stk_yaml_node *tree,
                             const char *const keys[KEYS], stk_error *err)
{
    for (const stk_yaml_node *item = tree->first; item; item = item->next) {
        bool        known = false;
        char        text[64];
        stk_suggest suggest = {.wanted = item->key};
        for (size_t i = 0; i < KEYS; i++) {
            known = known || strcmp(item->key, keys[i]) == 0;
            stk_suggest_offer(&suggest, keys[i]);
        }
        if (!known)
            return stk_yaml_fail(err, STK_E_INVALID, recipe->name, item->line, item->key,
                                 "%s the keys %s, %s, %s and %s%s",
                                 keys == list_keys ? "a list has" : "a feature has", keys[0],
                                 keys[1], keys[2], keys[3],
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

/* The type is the whole of a feature, or its key dtype. */
static stk_status read_dtype(const stk_recipe *recipe, const stk_yaml_node *tree, stk_dtype *out,
                             stk_error *err)
{
    const stk_yaml_node *dtype = tree->kind == STK_YAML_MAP ? child(tree, "dtype") : tree;
    *out = STK_DTYPE_NONE;
    if (dtype && dtype->kind == STK_YAML_SCALAR) *out = stk_dtype_from_name(dtype->text);
    if (*out == STK_DTYPE_I64 || *out == STK_DTYPE_F32 || *out == STK_DTYPE_BYTES) return STK_OK;
    return fail_on(recipe, dtype ? dtype : tree, err,
                   "a feature is of int64, float32 or bytes; cast it after parsing");
}

static stk_status read_feature(const stk_recipe *recipe, const stk_yaml_node *tree,
                               stk_arena *arena, stk_feature_spec *spec, stk_error *err)
{
    const bool is_map = tree->kind == STK_YAML_MAP;
    *spec = (stk_feature_spec){.name = tree->key};
    if (is_map) STK_TRY(check_keys(recipe, tree, feature_keys, err));
    STK_TRY(read_dtype(recipe, tree, &spec->dtype, err));
    if (!is_map) return STK_OK;
    STK_TRY(read_kind(recipe, child(tree, "kind"), spec, err));
    STK_TRY(read_shape(recipe, child(tree, "shape"), &spec->shape, err));
    const stk_yaml_node *value = child(tree, "default");
    return value ? read_default(recipe, value, arena, spec, err) : STK_OK;
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

static stk_status read_list_kind(const stk_recipe *recipe, const stk_yaml_node *tree, bool *varlen,
                                 stk_error *err)
{
    if (!tree) return STK_OK;
    *varlen = tree->kind == STK_YAML_SCALAR && strcmp(tree->text, "varlen") == 0;
    if (*varlen || (tree->kind == STK_YAML_SCALAR && strcmp(tree->text, "dense") == 0))
        return STK_OK;
    return fail_on(recipe, tree, err, "a list's kind is dense or varlen");
}

static stk_status read_list(const stk_recipe *recipe, const stk_yaml_node *tree,
                            stk_sequence_spec *spec, stk_error *err)
{
    const bool is_map = tree->kind == STK_YAML_MAP;
    *spec = (stk_sequence_spec){.name = tree->key};
    if (is_map) STK_TRY(check_keys(recipe, tree, list_keys, err));
    STK_TRY(read_dtype(recipe, tree, &spec->dtype, err));
    if (!is_map) return STK_OK;
    STK_TRY(read_list_kind(recipe, child(tree, "kind"), &spec->varlen, err));
    STK_TRY(read_shape(recipe, child(tree, "shape"), &spec->shape, err));
    const stk_yaml_node *missing = child(tree, "missing");
    if (missing && !stk_scalar_bool(missing, &spec->allow_missing))
        return fail_on(recipe, missing, err, "missing is true or false");
    return STK_OK;
}

stk_status stk_recipe_lists(const stk_recipe *recipe, const stk_yaml_node *tree, stk_arena *arena,
                            stk_sequence_spec **out, size_t *count, stk_error *err)
{
    stk_sequence_spec *specs = stk_arena_array(arena, tree->count + 1, sizeof *specs, err);
    if (!specs) return STK_E_NOMEM;
    *out = specs;
    *count = 0;
    for (const stk_yaml_node *item = tree->first; item; item = item->next)
        STK_TRY(read_list(recipe, item, &specs[(*count)++], err));
    return STK_OK;
}
