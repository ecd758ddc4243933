/* The network and its initial weights. */
#include "train/recipe/train_recipe_internal.h"
#include "train/resolve/resolve.h"
#include "train/saved/pretrained.h"
#include <stdio.h>
#include <string.h>

/* Fills open keys of model and images from the weights' recipe. width has no auto: 1 counts as
 * open. */
static stk_status resolve_like(stk_resolve_ctx *s, const stk_pretrained *p, stk_error *err)
{
    stk_train_recipe       *r = s->recipe;
    const stk_train_recipe *from = &p->recipe;
    if (!p->has_recipe && p->model && !*r->model.name) {
        stk_resolve_put(r->model.name, p->model);
        return stk_resolve_note(s, err, "model %s: the weights have its tensors", r->model.name);
    }
    if (!p->has_recipe) return STK_OK;
    if (!*r->model.name && *from->model.name) {
        stk_resolve_put(r->model.name, from->model.name);
        if (r->model.width == 1) r->model.width = from->model.width;
        STK_TRY(stk_resolve_note(s, err, "model %s: the weights are its", r->model.name));
    }
    if (strcmp(r->model.name, from->model.name) != 0) return STK_OK;
    if (!*r->data.preset && *from->data.preset) {
        stk_resolve_put(r->data.preset, from->data.preset);
        STK_TRY(stk_resolve_note(s, err, "preset %s: the weights were trained with it",
                                 r->data.preset));
    }
    if (r->data.size > 0 || from->data.size <= 0) return STK_OK;
    r->data.size = from->data.size;
    return stk_resolve_note(s, err, "size %lld: the weights were trained with it",
                            (long long)r->data.size);
}

static bool something_is_open(const stk_train_recipe *r)
{
    return !*r->model.name || !*r->data.preset || r->data.size < 0 || r->train.epochs < 0 ||
           r->train.learning_rate < 0 || r->train.schedule == STK_SCHEDULE_AUTO ||
           r->train.warmup_epochs < 0;
}

/* Runs first, since weights leave less to resolve. A resolved recipe does not read the file, which
 * a resumed run no longer needs. */
stk_status stk_resolve_weights(stk_resolve_ctx *s, stk_error *err)
{
    stk_train_recipe *r = s->recipe;
    stk_pretrained    p;
    if (!*r->model.weights &&
        (*r->train.freeze || (r->train.backbone_rate >= 0 && r->train.backbone_rate != 1)))
        return stk_fail(err, STK_E_INVALID, "recipe",
                        *r->train.freeze ? "train.freeze" : "train.backbone_rate",
                        "it is about what weights have learnt, and none are named; give "
                        "--weights FILE or a run (model.weights)");
    s->tunes = *r->model.weights;
    if (!s->tunes || !something_is_open(r)) return STK_OK;
    STK_TRY(stk_pretrained_find(&p, r->model.weights, err));
    snprintf(r->model.weights, sizeof r->model.weights, "%s", p.weights);
    const stk_status st = resolve_like(s, &p, err);
    stk_pretrained_release(&p);
    return st;
}

/* Sets the open keys. */
static stk_status apply_own(const stk_published_recipe *own, stk_train_recipe *recipe,
                            const stk_train_data *data, stk_error *err)
{
    enum { FEW = 8 };
    const bool fits = data->channels == stk_preset_find(own->preset)->channels;
    for (size_t i = 0; i < STK_MODEL_RECIPE_KEYS && own->keys[i].key; i++) {
        const stk_param *key = stk_params_find(&stk_train_keys, own->keys[i].key);
        if (stk_param_is_auto(key, recipe))
            STK_TRY(stk_train_recipe_set(recipe, own->keys[i].key, own->keys[i].value, own->model,
                                         err));
    }
    if (!*recipe->data.preset && fits)
        snprintf(recipe->data.preset, sizeof recipe->data.preset, "%s", own->preset);
    if (recipe->data.batch < 0 && data->train_count >= FEW * own->batch)
        recipe->data.batch = own->batch;
    return STK_OK;
}

/* Runs early: it leaves less to the other resolvers. */
stk_status stk_resolve_own(stk_resolve_ctx *s, stk_error *err)
{
    stk_train_recipe *r = s->recipe;
    s->own = stk_published_recipe_find(r->model.name);
    if (!s->own) return STK_OK;
    const bool own_epochs = r->train.epochs < 0 && s->tunes,
               own_way = r->train.schedule == STK_SCHEDULE_AUTO;
    STK_TRY(apply_own(s->own, r, s->data, err));
    if (own_epochs) r->train.epochs = -1;
    if (own_way && s->tunes) r->train.schedule = STK_SCHEDULE_AUTO;
    return stk_resolve_note(s, err, "model %s has a recipe of its own: %s", s->own->model,
                            s->own->text);
}

stk_status stk_resolve_model(stk_resolve_ctx *s, stk_error *err)
{
    stk_train_recipe *r = s->recipe;
    if (!*r->model.name) {
        stk_resolve_put(r->model.name, r->data.size > 64          ? "resnet18"
                                       : s->preset->channels == 1 ? "cnn"
                                                                  : "resnet20");
        STK_TRY(stk_resolve_note(s, err, "model %s: the usual one for images of %lld pixels",
                                 r->model.name, (long long)r->data.size));
    }
    if (r->model.classes < 0) r->model.classes = s->data->classes;
    if (r->model.classes >= s->data->classes) return STK_OK;
    return stk_fail(err, STK_E_INVALID, "recipe", "model.classes",
                    "the model has %lld classes but the data %lld", (long long)r->model.classes,
                    (long long)s->data->classes);
}
