/* Chooses splits. A model selected by its accuracy on some images has partly learnt them, so test
 * is never used for selection unless the user says so. */
#include "train/input/splits.h"
#include "base/decimal.h"
#include "storage/file/split_name.h"
#include "storage/source/holdout.h"
#include "train/recipe/published_recipe.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { EVERY_MAX = 1000, ENOUGH_TO_PART = 20 };

static size_t index_of(const stk_split_list *list, const char *name)
{
    size_t i = 0;
    while (i < list->count && strcmp(list->names[i], name) != 0)
        i++;
    return i;
}

void stk_split_list_add(stk_split_list *list, const char *name, uint64_t count, uint64_t bytes)
{
    const size_t at = index_of(list, name);
    if (at == STK_SPLITS_MAX) return;
    if (at == list->count) snprintf(list->names[list->count++], sizeof list->names[0], "%s", name);
    list->counts[at] += count;
    list->bytes[at] += bytes;
}

uint64_t stk_split_list_bytes(const stk_split_list *list, const char *name)
{
    const size_t at = index_of(list, name);
    return at < list->count ? list->bytes[at] : 0;
}

static void name_all(const stk_split_list *list, const char *names[STK_SPLITS_MAX])
{
    for (size_t i = 0; i < list->count; i++)
        names[i] = list->names[i];
}

static size_t find(const stk_split_list *list, const char *wanted)
{
    const char *names[STK_SPLITS_MAX];
    name_all(list, names);
    return stk_split_find(names, list->count, wanted);
}

static size_t find_role(const stk_split_list *list, stk_split_role role)
{
    const char *names[STK_SPLITS_MAX];
    name_all(list, names);
    return stk_split_find_role(names, list->count, role);
}

static stk_status no_split(const stk_train_recipe *recipe, const stk_split_list *list,
                           const char *wanted, stk_error *err)
{
    char   names[256] = "";
    size_t used = 0;
    for (size_t i = 0; i < list->count && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "",
                                 list->names[i]);
    return stk_fail(err, STK_E_NOTFOUND, "data", recipe->data.path,
                    "there is no split \"%s\"; there are: %s", wanted, names);
}

/* Without a training name: the first split not named for another use. */
static size_t default_train(const stk_split_list *list)
{
    size_t at = find_role(list, STK_SPLIT_TRAIN);
    for (size_t i = 0; at == list->count && i < list->count; i++)
        if (stk_split_role_of(list->names[i], strlen(list->names[i])) == STK_SPLIT_OTHER) at = i;
    return at < list->count ? at : 0;
}

static stk_status choose_train(const stk_train_recipe *recipe, const stk_split_list *list,
                               stk_train_data *out, stk_error *err)
{
    const char  *wanted = recipe->data.split;
    const size_t at = *wanted ? find(list, wanted) : default_train(list);
    if (at >= list->count) return no_split(recipe, list, *wanted ? wanted : "train", err);
    snprintf(out->train_split, sizeof out->train_split, "%s", list->names[at]);
    out->train_count = (int64_t)list->counts[at];
    return STK_OK;
}

static bool is_free(const stk_split_list *list, size_t at, const stk_train_data *data)
{
    return at < list->count && strcmp(list->names[at], data->train_split) != 0 &&
           strcmp(list->names[at], data->validation_split) != 0;
}

static void take_validation(const stk_split_list *list, size_t at, stk_train_data *out)
{
    snprintf(out->validation_split, sizeof out->validation_split, "%s", list->names[at]);
    out->validation_count = (int64_t)list->counts[at];
}

/* Counts the images that the loader will hold out: per class if a listing has classes, else every
 * so many-th. */
static stk_status count_held_out(const stk_train_data *data, int64_t every, uint64_t *held,
                                 stk_error *err)
{
    size_t split = 0;
    *held = (uint64_t)(data->train_count / every);
    if (!data->source || strcmp(stk_source_kind_name(data->source), "tfrecord") == 0) return STK_OK;
    while (strcmp(stk_source_split_name(data->source, split), data->train_split) != 0)
        split++;
    return stk_source_holdout(data->source, split, every, NULL, held, err);
}

/* Holds out one of every so many images, the nearest to the requested fraction. */
static stk_status hold_out(stk_train_data *out, double fraction, const char *path, stk_error *err)
{
    uint64_t held;
    if (!(fraction > 0 && fraction <= 0.5))
        return stk_fail(err, STK_E_INVALID, "data", path,
                        "data.validation is a share of %g; it takes 0.001 to 0.5", fraction);
    double every = floor(1 / fraction + 0.5);
    if (every > EVERY_MAX) every = EVERY_MAX;
    STK_TRY(count_held_out(out, (int64_t)every, &held, err));
    if (!held)
        return stk_fail(err, STK_E_INVALID, "data", path,
                        "one of %g images is to be held back for validation, but there are %lld; "
                        "set data.validation: none, or a larger share",
                        every, (long long)out->train_count);
    out->validation_fraction = 1 / every;
    snprintf(out->validation_split, sizeof out->validation_split, "%s", out->train_split);
    out->validation_count = (int64_t)held;
    out->train_count -= (int64_t)held;
    return STK_OK;
}

/* The default: a split named for validation, else the published recipe's, else a tenth of training,
 * unless that is empty. */
static stk_status default_validation(const stk_train_recipe *recipe, const stk_split_list *list,
                                     stk_train_data *out, stk_error *err)
{
    const stk_published_recipe *own = stk_published_recipe_find(recipe->model.name);
    size_t                      at = find_role(list, STK_SPLIT_VALIDATION);
    uint64_t                    held;
    if (!is_free(list, at, out) && own && own->reports_on_test)
        at = find_role(list, STK_SPLIT_TEST);
    if (is_free(list, at, out)) {
        take_validation(list, at, out);
        return STK_OK;
    }
    if (out->train_count < ENOUGH_TO_PART) return STK_OK;
    STK_TRY(count_held_out(out, 10, &held, err));
    return held ? hold_out(out, 0.1, recipe->data.path, err) : STK_OK;
}

static stk_status choose_validation(const stk_train_recipe *recipe, const stk_split_list *list,
                                    stk_train_data *out, stk_error *err)
{
    const char *wanted = recipe->data.validation, *end;
    if (strcmp(wanted, "none") == 0) return STK_OK;
    if (!*wanted) return default_validation(recipe, list, out, err);
    const size_t at = find(list, wanted);
    if (at < list->count) {
        take_validation(list, at, out);
        return STK_OK;
    }
    double fraction = stk_decimal_read(wanted, &end);
    if (end == wanted || *end)
        return stk_fail(err, STK_E_NOTFOUND, "data", recipe->data.path,
                        "data.validation is \"%s\", which is neither a split here nor a share such "
                        "as 0.1 nor none",
                        wanted);
    return hold_out(out, fraction, recipe->data.path, err);
}

/* The test split is evaluated once, so it must differ from the others. */
static stk_status choose_test(const stk_train_recipe *recipe, const stk_split_list *list,
                              stk_train_data *out, stk_error *err)
{
    const char  *wanted = recipe->data.test;
    const size_t at = *wanted ? find(list, wanted) : find_role(list, STK_SPLIT_TEST);
    if (strcmp(wanted, "none") == 0) return STK_OK;
    if (*wanted && at == list->count) return no_split(recipe, list, wanted, err);
    if (*wanted && !is_free(list, at, out))
        return stk_fail(err, STK_E_INVALID, "data", "data.test",
                        "\"%s\" is %s already; set data.test: none, or another split", wanted,
                        strcmp(list->names[at], out->train_split) == 0 ? "learnt from"
                                                                       : "validated on");
    if (!is_free(list, at, out)) return STK_OK;
    snprintf(out->test_split, sizeof out->test_split, "%s", list->names[at]);
    out->test_count = (int64_t)list->counts[at];
    return STK_OK;
}

static void name_unused(const stk_split_list *list, stk_train_data *out)
{
    char  *text = out->unused_splits;
    size_t used = 0, capacity = sizeof out->unused_splits;
    for (size_t i = 0; i < list->count && used < capacity; i++)
        if (is_free(list, i, out) && strcmp(list->names[i], out->test_split) != 0)
            used += (size_t)snprintf(text + used, capacity - used, "%s%s", used ? ", " : "",
                                     list->names[i]);
}

stk_status stk_splits_choose(const stk_train_recipe *recipe, const stk_split_list *list,
                             stk_train_data *data, stk_error *err)
{
    STK_TRY(choose_train(recipe, list, data, err));
    STK_TRY(choose_validation(recipe, list, data, err));
    STK_TRY(choose_test(recipe, list, data, err));
    if (!*recipe->data.split) name_unused(list, data);
    return STK_OK;
}
