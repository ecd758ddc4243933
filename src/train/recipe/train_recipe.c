/* A recipe's keys set from text. */
#include "base/suggest.h"
#include "train/recipe/train_recipe_internal.h"
#include <stdio.h>
#include <stoker/graph.h>
#include <string.h>

bool stk_train_section_known(const char *section)
{
    const stk_param *key;
    for (size_t i = 0; (key = stk_train_key_at(i)); i++)
        if (strcmp(key->group, section) == 0) return true;
    return false;
}

const char *stk_train_key_word(const stk_train_recipe *recipe, const stk_param *key)
{
    if (key->kind != STK_PARAM_ENUM) return NULL;
    return stk_param_word_of(key, *(const int *)(const void *)((const char *)recipe + key->offset));
}

const char *stk_train_recipe_word(const stk_train_recipe *recipe, const char *key)
{
    const stk_param *row = stk_params_find(&stk_train_keys, key);
    return row ? stk_train_key_word(recipe, row) : NULL;
}

stk_dtype stk_precision_dtype(stk_precision precision)
{
    return precision == STK_PRECISION_FP16   ? STK_DTYPE_F16
           : precision == STK_PRECISION_BF16 ? STK_DTYPE_BF16
                                             : STK_DTYPE_F32;
}

/* A key without its section: where it is, or what is near it. */
static stk_status refuse_bare(const char *name, const char *where, stk_error *err)
{
    const stk_param *key, *best = NULL;
    stk_suggest      near = {.wanted = name};
    for (size_t i = 0; (key = stk_train_key_at(i)); i++) {
        const char *before = near.best;
        stk_suggest_offer(&near, key->name);
        if (near.best != before) best = key;
    }
    if (!best)
        return stk_fail(
            err, STK_E_INVALID, "recipe", where,
            "there is no key \"%s\"; keys are written SECTION.KEY, such as train.epochs", name);
    return stk_fail(err, STK_E_INVALID, "recipe", where,
                    "the section of \"%s\" is missing; did you mean %s.%s?", name, best->group,
                    best->name);
}

stk_status stk_train_key_unknown(const char *section, const char *name, const char *where,
                                 stk_error *err)
{
    const stk_param *key;
    stk_suggest      near = {.wanted = name};
    char             hint[96];
    if (!*section) return refuse_bare(name, where, err);
    for (size_t i = 0; (key = stk_train_key_at(i)); i++)
        if (strcmp(key->group, section) == 0) stk_suggest_offer(&near, key->name);
    if (!stk_train_section_known(section)) {
        near = (stk_suggest){.wanted = section};
        for (size_t i = 0; (key = stk_train_key_at(i)); i++)
            stk_suggest_offer(&near, key->group);
        return stk_fail(err, STK_E_INVALID, "recipe", where, "there is no section \"%s\"%s",
                        section, stk_suggest_text(&near, hint, sizeof hint));
    }
    return stk_fail(err, STK_E_INVALID, "recipe", where, "the section \"%s\" has no key \"%s\"%s",
                    section, name, stk_suggest_text(&near, hint, sizeof hint));
}

/* The words of passes are in a text, which only compiling reads. */
static void note_passes(const char *text, const stk_params_source *source)
{
    char        note[160];
    const char *former, *name = source->note ? stk_graph_pass_renamed(text, &former) : NULL;
    if (!name) return;
    snprintf(note, sizeof note, "knobs.passes_off=%s is now called knobs.passes_off=%s", former,
             name);
    source->note(source->context, note);
}

stk_status stk_train_key_set(stk_train_recipe *recipe, const char *key, const char *text,
                             const stk_params_source *source, stk_error *err)
{
    STK_TRY(stk_params_set(&stk_train_keys, recipe, key, text, source, err));
    if (strcmp(key, "knobs.passes_off") == 0) note_passes(text, source);
    return STK_OK;
}

stk_status stk_train_recipe_set_from(stk_train_recipe *recipe, const char *key, const char *text,
                                     const stk_params_source *source, stk_error *err)
{
    char        section[64] = "";
    const char *dot = strchr(key, '.');
    if (stk_params_find(&stk_train_keys, key))
        return stk_train_key_set(recipe, key, text, source, err);
    if (dot && (size_t)(dot - key) < sizeof section) memcpy(section, key, (size_t)(dot - key));
    return stk_train_key_unknown(section, dot ? dot + 1 : key, source->where, err);
}

stk_status stk_train_recipe_set(stk_train_recipe *recipe, const char *key, const char *text,
                                const char *where, stk_error *err)
{
    const stk_params_source source = {.component = "recipe", .where = where};
    return stk_train_recipe_set_from(recipe, key, text, &source, err);
}

void stk_train_recipe_init(stk_train_recipe *recipe)
{
    static const stk_params_source source = {.component = "recipe"};
    stk_error                      err;
    memset(recipe, 0, sizeof *recipe);
    /* Fallbacks are values of their keys: a test says so. */
    if (stk_params_complete(&stk_train_keys, recipe, &source, &err)) return;
}
