/* Checks that a network accepts all image sizes of an epoch plan. Weights that depend on the image
 * size (a dense layer over all pixels, learnt positions) would make another network in each epoch
 * group. */
#include "train/resolve/epoch_plan.h"
#include <stdio.h>
#include <stoker/models.h>
#include <stoker/presets.h>
#include <string.h>

static stk_status build(stk_graph **out, const stk_train_recipe *r, const stk_model *model,
                        int64_t size, stk_error *err)
{
    const stk_preset       *preset = stk_preset_find(r->data.preset);
    const stk_model_options options = {.batch = 1,
                                       .size = (int)size,
                                       .channels = preset ? preset->channels : 3,
                                       .classes = (int)r->model.classes,
                                       .width = r->model.width};
    STK_TRY(stk_graph_new(out, NULL, err));
    stk_model_build(*out, model, stk_model_input(*out, model, &options), &options);
    const stk_status st = stk_graph_check(*out, err);
    if (st) {
        stk_graph_free(*out);
        *out = NULL;
    }
    return st;
}

/* Finds a weight that differs between both; false: none. */
static bool find_other(const stk_graph *a, const stk_graph *b, stk_graph_variable_info *in_a,
                       stk_graph_variable_info *in_b)
{
    const size_t count = stk_graph_variable_count(a);
    for (size_t i = 0; i < count && i < stk_graph_variable_count(b); i++) {
        *in_a = stk_graph_variable_at(a, i);
        *in_b = stk_graph_variable_at(b, i);
        if (strcmp(in_a->name, in_b->name) != 0 || !stk_shape_equal(&in_a->shape, &in_b->shape))
            return true;
    }
    return count != stk_graph_variable_count(b);
}

static stk_status fail_size(const stk_train_recipe *r, int64_t size, const char *why,
                            stk_error *err)
{
    return stk_fail(err, STK_E_UNSUPPORTED, "recipe", "progressive.size_from",
                    "%.40s cannot begin with images of %lld pixels and end with %lld: %.90s; set "
                    "progressive.size_from: 1, or use a network such as cnn or resnet20",
                    r->model.name, (long long)size, (long long)r->data.size, why);
}

static stk_status compare(const stk_train_recipe *r, const stk_graph *small, const stk_graph *full,
                          int64_t size, stk_error *err)
{
    stk_graph_variable_info a, b;
    char                    shapes[2][64], why[256];
    if (!find_other(small, full, &a, &b)) return STK_OK;
    snprintf(why, sizeof why, "its weight %s is %s, then %s", b.name,
             stk_shape_text(&a.shape, shapes[0], sizeof shapes[0]),
             stk_shape_text(&b.shape, shapes[1], sizeof shapes[1]));
    return fail_size(r, size, why, err);
}

static stk_status check_size(const stk_train_recipe *r, const stk_model *model,
                             const stk_graph *full, int64_t size, stk_error *err)
{
    stk_graph *small;
    stk_error  why;
    if (size == r->data.size) return STK_OK;
    if (build(&small, r, model, size, &why)) return fail_size(r, size, why.message, err);
    const stk_status st = compare(r, small, full, size, err);
    stk_graph_free(small);
    return st;
}

stk_status stk_epoch_plan_check_model(const stk_epoch_plan *plan, const stk_train_recipe *recipe,
                                      stk_error *err)
{
    const stk_model *model;
    stk_graph       *full;
    if (recipe->model.trivial) return STK_OK;
    STK_TRY(stk_model_find(&model, recipe->model.name, err));
    STK_TRY(build(&full, recipe, model, recipe->data.size, err));
    stk_status st = STK_OK;
    for (size_t i = 0; i < plan->count && !st; i++)
        st = check_size(recipe, model, full, plan->groups[i].size, err);
    stk_graph_free(full);
    return st;
}
