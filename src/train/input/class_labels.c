/* Labels of the training images. */
#include "train/input/class_labels.h"
#include "storage/source/holdout.h"
#include "train/input/cache_choice.h"
#include <stdlib.h>
#include <stoker/iterator.h>
#include <stoker/presets.h>
#include <stoker/source.h>
#include <string.h>

bool stk_train_wants_labels(const stk_train_recipe *recipe)
{
    return recipe->data.balance == STK_BALANCE_CLASSES ||
           strcmp(recipe->train.class_weights, "balanced") == 0;
}

/* One of so many images is held out; 0: none. */
static int64_t held_of(const stk_train_data *data)
{
    return data->validation_fraction > 0 ? (int64_t)(1 / data->validation_fraction + 0.5) : 0;
}

static stk_status check_label(const stk_train_data *data, int64_t label, const char *where,
                              stk_error *err)
{
    if (label >= 0 && label < data->classes) return STK_OK;
    return stk_fail(err, STK_E_RANGE, "data", where,
                    "the label %lld is none of the %lld classes, which are counted from 0",
                    (long long)label, (long long)data->classes);
}

static size_t find_split(const stk_train_data *data)
{
    size_t split = 0;
    while (split < stk_source_split_count(data->source) &&
           strcmp(stk_source_split_name(data->source, split), data->train_split) != 0)
        split++;
    return split;
}

/* Returns true if the listing has all labels. held: marks the images held out. */
static bool copy_labels(stk_train_data *data, size_t split, const uint8_t *held)
{
    int64_t kept = 0;
    for (uint64_t i = 0; i < stk_source_count(data->source); i++) {
        stk_source_item item;
        stk_source_item_at(data->source, i, &item);
        if (item.split != split || held[i]) continue;
        if (item.label < 0 || item.label >= data->classes || kept == data->train_count)
            return false;
        data->labels[kept++] = item.label;
    }
    return kept == data->train_count;
}

static stk_status list_labels(stk_train_data *data, bool *listed, stk_error *err)
{
    const size_t  split = find_split(data);
    const int64_t every = held_of(data);
    uint64_t      unasked;
    uint8_t      *held = calloc(stk_source_count(data->source) + 1, 1);
    if (!held) return stk_fail(err, STK_E_NOMEM, "data", NULL, "no memory for labels");
    stk_status st =
        every ? stk_source_holdout(data->source, split, every, held, &unasked, err) : STK_OK;
    *listed = !st && copy_labels(data, split, held);
    free(held);
    return st;
}

static stk_status read_all(stk_iterator *it, stk_train_data *data, int label, const char *path,
                           stk_error *err)
{
    int64_t kept = 0;
    for (;;) {
        stk_element *element;
        char         where[256];
        STK_TRY(stk_iterator_next(it, &element, err));
        if (!element) break;
        const stk_value *value = stk_element_value(element, (size_t)label);
        const int64_t    number = *(const int64_t *)stk_value_data(value);
        stk_element_where(element, where, sizeof where);
        stk_element_unref(element);
        STK_TRY(check_label(data, number, *where ? where : path, err));
        if (kept < data->train_count) data->labels[kept] = number;
        kept++;
    }
    if (kept == data->train_count) return STK_OK;
    return stk_fail(err, STK_E_FORMAT, "data", path,
                    "there are %lld images to train on, but the description says %lld",
                    (long long)kept, (long long)data->train_count);
}

/* Reads records without decoding images. */
static stk_status read_labels(stk_train_data *data, const stk_train_recipe *recipe, stk_error *err)
{
    const stk_images_options images = {.kind = *recipe->data.kind ? recipe->data.kind : NULL,
                                       .follow_outside = recipe->data.follow_outside,
                                       .source = data->source,
                                       .split = data->train_split,
                                       .holdout_every = held_of(data)};
    const char              *path = recipe->data.path;
    stk_dataset             *dataset;
    stk_iterator            *it = NULL;
    stk_status               st = stk_dataset_images(&dataset, path, &images, err);
    if (st) return st;
    const int label = stk_element_spec_find(stk_dataset_spec(dataset), "label");
    if (label < 0) st = stk_fail(err, STK_E_NOTFOUND, "data", path, "the images have no labels");
    const stk_iterator_options options = {
        .threads = 1, .passes_off = STK_PASS_CACHE, .memory_bytes = stk_cache_ceiling(recipe)};
    if (!st) st = stk_iterator_start(&it, dataset, &options, err);
    if (!st) st = read_all(it, data, label, path, err);
    stk_iterator_free(it);
    stk_dataset_unref(dataset);
    return st;
}

/* Fails early if balancing needs random access and the records have none; the message names an
 * alternative. */
static stk_status check_balance(const stk_train_data *data, const stk_train_recipe *recipe,
                                stk_error *err)
{
    const stk_images_options images = {.kind = *recipe->data.kind ? recipe->data.kind : NULL,
                                       .follow_outside = recipe->data.follow_outside,
                                       .split = data->train_split,
                                       .holdout_every = held_of(data),
                                       .labels = data->labels,
                                       .label_count = (uint64_t)data->train_count,
                                       .classes = data->classes};
    stk_dataset             *dataset;
    stk_error                why;
    if (data->source || recipe->data.balance != STK_BALANCE_CLASSES) return STK_OK;
    const stk_status st = stk_dataset_images(&dataset, recipe->data.path, &images, &why);
    stk_dataset_unref(dataset);
    if (!st) return STK_OK;
    return stk_fail(err, st, why.component, why.where,
                    "data.balance draws records by number: %.120s; or set train.class_weights: "
                    "balanced instead",
                    why.message);
}

static stk_status fill(stk_train_data *data, const stk_train_recipe *recipe, stk_error *err)
{
    bool listed = false;
    if (data->source) STK_TRY(list_labels(data, &listed, err));
    if (listed) return STK_OK;
    STK_TRY(read_labels(data, recipe, err));
    return check_balance(data, recipe, err);
}

stk_status stk_train_read_labels(stk_train_data *data, const stk_train_recipe *recipe,
                                 stk_error *err)
{
    if (data->train_count < 1) return STK_OK;
    free(data->labels);
    data->labels = calloc((size_t)data->train_count, sizeof *data->labels);
    if (!data->labels)
        return stk_fail(err, STK_E_NOMEM, "data", recipe->data.path,
                        "no memory for the labels of %lld images", (long long)data->train_count);
    const stk_status st = fill(data, recipe, err);
    if (st) {
        free(data->labels);
        data->labels = NULL;
    }
    return st;
}

int64_t *stk_train_count_labels(const stk_train_data *data)
{
    int64_t *counts = calloc((size_t)data->classes + 1, sizeof *counts);
    for (int64_t i = 0; counts && i < data->train_count; i++)
        counts[data->labels[i]]++;
    return counts;
}
