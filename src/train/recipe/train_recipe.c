/* A recipe's keys set from text. */
#include "base/decimal.h"
#include "base/suggest.h"
#include "train/recipe/train_recipe_internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *field(stk_train_recipe *recipe, const stk_train_key *key)
{
    return (char *)recipe + key->offset;
}

static bool has_auto(const stk_train_key *key)
{
    return strcmp(key->fallback, "auto") == 0;
}

bool stk_train_key_is_open(const stk_train_recipe *recipe, const stk_train_key *key)
{
    const void *at = (const char *)recipe + key->offset;
    if (!has_auto(key)) return false;
    if (key->kind == STK_TRAIN_IS_INTEGER) return *(const int64_t *)at < 0;
    if (key->kind == STK_TRAIN_IS_NUMBER) return *(const double *)at < 0;
    return !*(const char *)at;
}

const stk_train_key *stk_train_key_find(const char *section, const char *name)
{
    const stk_train_key *key;
    for (size_t i = 0; (key = stk_train_key_at(i)); i++)
        if (strcmp(key->section, section) == 0 && strcmp(key->name, name) == 0) return key;
    return NULL;
}

bool stk_train_section_known(const char *section)
{
    const stk_train_key *key;
    for (size_t i = 0; (key = stk_train_key_at(i)); i++)
        if (strcmp(key->section, section) == 0) return true;
    return false;
}

static stk_status set_text(stk_train_recipe *recipe, const stk_train_key *key, const char *text,
                           const char *where, stk_error *err)
{
    if (has_auto(key) && strcmp(text, "auto") == 0) text = "";
    if (strlen(text) >= key->size)
        return stk_fail(err, STK_E_LIMIT, "recipe", where, "%s.%s takes at most %zu bytes",
                        key->section, key->name, key->size - 1);
    snprintf(field(recipe, key), key->size, "%s", text);
    return STK_OK;
}

static stk_status set_choice(stk_train_recipe *recipe, const stk_train_key *key, const char *text,
                             const char *where, stk_error *err)
{
    stk_suggest near = {.wanted = text};
    char        words[256], hint[96], *rest = words, *word;
    snprintf(words, sizeof words, "%s", key->words);
    while ((word = strsep(&rest, " "))) {
        if (strcmp(word, text) == 0) {
            snprintf(field(recipe, key), key->size, "%s", strcmp(text, "auto") ? text : "");
            return STK_OK;
        }
        stk_suggest_offer(&near, word);
    }
    return stk_fail(err, STK_E_INVALID, "recipe", where, "%s.%s is \"%s\"; it is one of: %s%s",
                    key->section, key->name, text, key->words,
                    stk_suggest_text(&near, hint, sizeof hint));
}

static stk_status set_number(stk_train_recipe *recipe, const stk_train_key *key, const char *text,
                             const char *where, stk_error *err)
{
    bool        whole = key->kind == STK_TRAIN_IS_INTEGER;
    const char *end = text;
    double      value = -1;
    if (!(has_auto(key) && strcmp(text, "auto") == 0)) {
        value = stk_decimal_read(text, &end);
        /* The range first: a number past it has no whole part of 64 bits. */
        if (end == text || *end || !(value >= key->least && value <= key->most) ||
            (whole && value != (double)(int64_t)value))
            return stk_fail(err, STK_E_INVALID, "recipe", where,
                            "%s.%s is \"%s\"; it takes %s from %g to %g%s", key->section, key->name,
                            text, whole ? "a whole number" : "a number", key->least, key->most,
                            has_auto(key) ? ", or auto" : "");
    }
    if (whole)
        *(int64_t *)field(recipe, key) = (int64_t)value;
    else
        *(double *)field(recipe, key) = value;
    return STK_OK;
}

static stk_status set_bool(stk_train_recipe *recipe, const stk_train_key *key, const char *text,
                           const char *where, stk_error *err)
{
    bool yes = strcmp(text, "true") == 0;
    if (!yes && strcmp(text, "false") != 0)
        return stk_fail(err, STK_E_INVALID, "recipe", where, "%s.%s is \"%s\"; it is true or false",
                        key->section, key->name, text);
    *(bool *)field(recipe, key) = yes;
    return STK_OK;
}

stk_status stk_train_key_set(stk_train_recipe *recipe, const stk_train_key *key, const char *text,
                             const char *where, stk_error *err)
{
    switch (key->kind) {
    case STK_TRAIN_IS_TEXT:
        return set_text(recipe, key, text, where, err);
    case STK_TRAIN_IS_CHOICE:
        return set_choice(recipe, key, text, where, err);
    case STK_TRAIN_IS_BOOL:
        return set_bool(recipe, key, text, where, err);
    default:
        return set_number(recipe, key, text, where, err);
    }
}

/* A key without its section: where it is, or what is near it. */
static stk_status refuse_bare(const char *name, const char *where, stk_error *err)
{
    const stk_train_key *key, *best = NULL;
    stk_suggest          near = {.wanted = name};
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
                    "the section of \"%s\" is missing; did you mean %s.%s?", name, best->section,
                    best->name);
}

stk_status stk_train_key_unknown(const char *section, const char *name, const char *where,
                                 stk_error *err)
{
    const stk_train_key *key;
    stk_suggest          near = {.wanted = name};
    char                 hint[96];
    if (!*section) return refuse_bare(name, where, err);
    for (size_t i = 0; (key = stk_train_key_at(i)); i++)
        if (strcmp(key->section, section) == 0) stk_suggest_offer(&near, key->name);
    if (!stk_train_section_known(section)) {
        near = (stk_suggest){.wanted = section};
        for (size_t i = 0; (key = stk_train_key_at(i)); i++)
            stk_suggest_offer(&near, key->section);
        return stk_fail(err, STK_E_INVALID, "recipe", where, "there is no section \"%s\"%s",
                        section, stk_suggest_text(&near, hint, sizeof hint));
    }
    return stk_fail(err, STK_E_INVALID, "recipe", where, "the section \"%s\" has no key \"%s\"%s",
                    section, name, stk_suggest_text(&near, hint, sizeof hint));
}

stk_status stk_train_recipe_set(stk_train_recipe *recipe, const char *key, const char *text,
                                const char *where, stk_error *err)
{
    char        section[64] = "";
    const char *dot = strchr(key, '.');
    if (dot && (size_t)(dot - key) < sizeof section) memcpy(section, key, (size_t)(dot - key));
    const char          *name = dot ? dot + 1 : key;
    const stk_train_key *found = stk_train_key_find(section, name);
    if (!found) return stk_train_key_unknown(section, name, where, err);
    return stk_train_key_set(recipe, found, text, where, err);
}

void stk_train_recipe_init(stk_train_recipe *recipe)
{
    const stk_train_key *key;
    stk_error            err;
    memset(recipe, 0, sizeof *recipe);
    for (size_t i = 0; (key = stk_train_key_at(i)); i++) /* fallbacks are values: a test says so */
        if (stk_train_key_set(recipe, key, key->fallback, key->name, &err)) continue;
}
