/* Hyperparameters of a run, from the table of recipe keys. */
#include "train/loop/hparams.h"
#include "base/arena.h"
#include "base/utf8.h"
#include "train/recipe/train_recipe_internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_CAPACITY = 64 };

static const char *const metrics[] = {"validation/accuracy", "validation/loss",
                                      "train/epoch_accuracy", "train/epoch_loss"};

static stk_events_hparam read_key(const stk_train_recipe *recipe, const stk_param *key)
{
    const char       *at = (const char *)recipe + key->offset;
    stk_events_hparam h = {.kind = STK_EVENTS_NUMBER};
    int64_t           integer;
    switch (key->kind) {
    case STK_PARAM_ENUM:
        at = stk_param_is_auto(key, recipe) ? "" : stk_train_key_word(recipe, key);
        /* fall through */
    case STK_PARAM_TEXT:
        h.kind = STK_EVENTS_TEXT;
        h.text = at;
        break;
    case STK_PARAM_INT64:
        memcpy(&integer, at, sizeof integer);
        h.number = (double)integer;
        break;
    case STK_PARAM_DOUBLE:
        memcpy(&h.number, at, sizeof h.number);
        break;
    default: /* BOOL */
        h.kind = STK_EVENTS_BOOL;
        h.number = *(const bool *)at;
        break;
    }
    return h;
}

/* TensorBoard rejects invalid UTF-8; file names may have any bytes. */
static stk_status make_shown(stk_events_hparam *h, stk_arena *texts, stk_error *err)
{
    stk_blob shown;
    if (h->kind != STK_EVENTS_TEXT || stk_utf8_is_valid(h->text)) return STK_OK;
    stk_blob_init(&shown, NULL, STK_MEMORY_OUTPUT);
    stk_status st = stk_utf8_escape(&shown, h->text, err);
    if (!st) h->text = stk_arena_text(texts, (const char *)shown.data, shown.size, err);
    if (!h->text) st = STK_E_NOMEM;
    stk_blob_release(&shown);
    return st;
}

stk_status stk_hparams_write(stk_events *events, const stk_train_recipe *recipe, stk_error *err)
{
    const stk_param *key;
    size_t           keys = 0, count = 0;
    while (stk_train_key_at(keys))
        keys++;
    stk_events_hparam *list = calloc(keys, sizeof *list);
    char(*names)[NAME_CAPACITY] = calloc(keys, sizeof *names);
    if (!list || !names) {
        free(list);
        free(names);
        return stk_fail(err, STK_E_NOMEM, "events", NULL, "no memory for %zu settings", keys);
    }
    for (size_t i = 0; (key = stk_train_key_at(i)); i++) {
        if (strcmp(key->group, "output") == 0) continue;
        snprintf(names[count], NAME_CAPACITY, "%s.%s", key->group, key->name);
        list[count] = read_key(recipe, key);
        list[count].name = names[count];
        count++;
    }
    const stk_events_hparams all = {list, count, metrics, sizeof metrics / sizeof *metrics};
    stk_arena                texts;
    stk_status               st = STK_OK;
    stk_arena_init(&texts, NULL, STK_MEMORY_OUTPUT);
    for (size_t i = 0; i < count && !st; i++)
        st = make_shown(&list[i], &texts, err);
    if (!st) st = stk_events_hparams_begin(events, &all, err);
    stk_arena_release(&texts);
    free(list);
    free(names);
    return st;
}
