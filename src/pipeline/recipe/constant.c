/* Constants: numbers, texts and nested lists of them as values. */
#include "pipeline/recipe/data_recipe.h"

#include <inttypes.h>
#include <stdlib.h>

/* What the scalars of a constant have in common. */
typedef struct survey {
    const stk_recipe *recipe;
    stk_shape         shape;
    int64_t           count;
    bool              wholes, reals, truths, texts; /* some are */
} survey;

static stk_status fail_in(const stk_recipe *recipe, const stk_yaml_node *tree, stk_error *err,
                          const char *message)
{
    return stk_yaml_fail(err, STK_E_INVALID, recipe->name, tree->line, tree->key, "%s", message);
}

static stk_status look_at_scalar(survey *s, const stk_yaml_node *tree, stk_error *err)
{
    stk_number number;
    bool       truth;
    if (stk_yaml_is_null(tree))
        return fail_in(s->recipe, tree, err, "a constant is a number, a text or a list of them");
    if (stk_scalar_number(tree, &number))
        *(number.is_float ? &s->reals : &s->wholes) = true;
    else if (stk_scalar_bool(tree, &truth))
        s->truths = true;
    else
        s->texts = true;
    s->count++;
    return STK_OK;
}

/* The first item at each depth says how long the others must be. */
static stk_status look_at(survey *s, const stk_yaml_node *tree, int depth, bool is_first,
                          stk_error *err)
{
    if (tree->kind == STK_YAML_MAP)
        return fail_in(s->recipe, tree, err,
                       "a mapping stands in a constant; it is a number, a text or a list of them");
    if (tree->kind == STK_YAML_SCALAR) {
        if (depth != s->shape.rank && !is_first)
            return fail_in(s->recipe, tree, err, "the rows of a constant differ in depth");
        return look_at_scalar(s, tree, err);
    }
    if (depth == STK_MAX_RANK)
        return fail_in(s->recipe, tree, err, "a constant has more than 8 dimensions");
    if (is_first) {
        s->shape.rank = depth + 1;
        s->shape.dim[depth] = (int64_t)tree->count;
    } else if (depth >= s->shape.rank || s->shape.dim[depth] != (int64_t)tree->count) {
        return fail_in(s->recipe, tree, err, "the rows of a constant differ in length or depth");
    }
    for (const stk_yaml_node *item = tree->first; item; item = item->next)
        STK_TRY(look_at(s, item, depth + 1, is_first && item == tree->first, err));
    return STK_OK;
}

static stk_status choose_type(const survey *s, const stk_yaml_node *tree, stk_dtype *dtype,
                              stk_error *err)
{
    const bool numbers = s->wholes || s->reals;
    if (*dtype == STK_DTYPE_NONE)
        *dtype = s->texts                 ? STK_DTYPE_BYTES
                 : s->truths              ? STK_DTYPE_BOOL
                 : s->wholes && !s->reals ? STK_DTYPE_I64
                                          : STK_DTYPE_F32;
    const bool wants_numbers = *dtype != STK_DTYPE_BYTES && *dtype != STK_DTYPE_BOOL;
    const bool wants_wholes = wants_numbers && *dtype < STK_DTYPE_F16;
    if ((*dtype == STK_DTYPE_BOOL && (numbers || s->texts)) ||
        (wants_numbers && (s->truths || s->texts)) || (wants_wholes && s->reals) ||
        *dtype == STK_DTYPE_F16 || *dtype == STK_DTYPE_BF16)
        return stk_yaml_fail(err, STK_E_INVALID, s->recipe->name, tree->line, tree->key,
                             "the constant is %s%s%s%s; it cannot be %s",
                             s->wholes ? "whole numbers " : "", s->reals ? "real numbers " : "",
                             s->truths ? "true or false " : "", s->texts ? "texts" : "",
                             stk_dtype_name(*dtype));
    return STK_OK;
}

typedef struct filling {
    const stk_recipe *recipe;
    stk_dtype         dtype;
    void             *data;
    size_t            used;
} filling;

static stk_status put_whole(filling *f, const stk_yaml_node *tree, int64_t number, stk_error *err)
{
    static const struct {
        int64_t least, most;
    } ends[STK_DTYPE_COUNT] = {[STK_DTYPE_U8] = {0, UINT8_MAX},
                               [STK_DTYPE_I8] = {INT8_MIN, INT8_MAX},
                               [STK_DTYPE_I32] = {INT32_MIN, INT32_MAX},
                               [STK_DTYPE_I64] = {INT64_MIN, INT64_MAX}};
    if (number < ends[f->dtype].least || number > ends[f->dtype].most)
        return stk_yaml_fail(err, STK_E_INVALID, f->recipe->name, tree->line, tree->key,
                             "%" PRId64 " does not fit in %s", number, stk_dtype_name(f->dtype));
    if (f->dtype == STK_DTYPE_I64)
        ((int64_t *)f->data)[f->used++] = number;
    else if (f->dtype == STK_DTYPE_I32)
        ((int32_t *)f->data)[f->used++] = (int32_t)number;
    else
        ((uint8_t *)f->data)[f->used++] = (uint8_t)number;
    return STK_OK;
}

static stk_status put(filling *f, const stk_yaml_node *tree, stk_error *err)
{
    if (tree->kind == STK_YAML_LIST) {
        for (const stk_yaml_node *item = tree->first; item; item = item->next)
            STK_TRY(put(f, item, err));
        return STK_OK;
    }
    stk_number number = {0};
    bool       truth = false;
    if (f->dtype == STK_DTYPE_BYTES) {
        ((stk_bytes *)f->data)[f->used++] = stk_bytes_of(tree->text, tree->length);
        return STK_OK;
    }
    if (f->dtype == STK_DTYPE_BOOL) {
        stk_scalar_bool(tree, &truth);
        ((uint8_t *)f->data)[f->used++] = truth;
        return STK_OK;
    }
    stk_scalar_number(tree, &number);
    const double real = number.is_float ? number.floating : (double)number.integer;
    if (f->dtype == STK_DTYPE_F32)
        ((float *)f->data)[f->used++] = (float)real;
    else if (f->dtype == STK_DTYPE_F64)
        ((double *)f->data)[f->used++] = real;
    else
        return put_whole(f, tree, number.integer, err);
    return STK_OK;
}

static stk_status make_strings(filling *f, const survey *s, const stk_yaml_node *tree,
                               stk_value *out, stk_error *err)
{
    f->data = calloc((size_t)s->count + 1, sizeof(stk_bytes));
    if (!f->data)
        return stk_fail(err, STK_E_NOMEM, "recipe", f->recipe->name, "no memory for a constant");
    stk_status st = put(f, tree, err);
    if (!st) st = stk_value_strings(out, NULL, &s->shape, f->data, err);
    free(f->data);
    return st;
}

static stk_status make_constant(const stk_recipe *recipe, const stk_yaml_node *tree,
                                stk_dtype dtype, stk_value *out, stk_error *err)
{
    survey s = {.recipe = recipe};
    STK_TRY(look_at(&s, tree, 0, true, err));
    STK_TRY(choose_type(&s, tree, &dtype, err));
    filling f = {.recipe = recipe, .dtype = dtype};
    if (dtype == STK_DTYPE_BYTES) return make_strings(&f, &s, tree, out, err);
    STK_TRY(stk_value_dense(out, NULL, dtype, &s.shape, &f.data, err));
    stk_status st = put(&f, tree, err);
    if (st) stk_value_release(out);
    return st;
}

stk_status stk_recipe_constant(const stk_recipe *recipe, const stk_yaml_node *tree, stk_dtype dtype,
                               stk_value *out, stk_error *err)
{
    *out = (stk_value){0};
    if (tree->kind != STK_YAML_MAP) return make_constant(recipe, tree, dtype, out, err);
    const stk_yaml_node *data = NULL, *type = NULL;
    for (const stk_yaml_node *item = tree->first; item; item = item->next)
        if (strcmp(item->key, "data") == 0)
            data = item;
        else if (strcmp(item->key, "dtype") == 0 && item->kind == STK_YAML_SCALAR)
            type = item;
        else
            return fail_in(recipe, item, err,
                           "a constant in a mapping has the keys dtype (a type's name) and data");
    if (!data || !type || data->kind == STK_YAML_MAP)
        return fail_in(recipe, tree, err,
                       "a constant in a mapping has the keys dtype (a type's name) and data");
    dtype = stk_dtype_from_name(type->text);
    if (!dtype) return fail_in(recipe, type, err, "there is no type of this name");
    return make_constant(recipe, data, dtype, out, err);
}

stk_status stk_recipe_element(const stk_recipe *recipe, const stk_yaml_node *list,
                              const stk_element_spec *dtypes, stk_element **out, stk_error *err)
{
    STK_TRY(stk_element_new(out, list->count, err));
    size_t i = 0;
    for (const stk_yaml_node *item = list->first; item; item = item->next, i++) {
        const bool known = dtypes && dtypes->known && i < dtypes->count;
        stk_status st =
            stk_recipe_constant(recipe, item, known ? dtypes->values[i].dtype : STK_DTYPE_NONE,
                                stk_element_edit(*out, i), err);
        if (st) {
            stk_element_unref(*out);
            *out = NULL;
            return st;
        }
    }
    return STK_OK;
}
