/* What the data is, as far as training asks: splits, how many, classes, the size of pictures. */
#include "base/decimal.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoker/image.h>
#include <stoker/inspect.h>
#include <stoker/iterator.h>
#include <stoker/presets.h>
#include <stoker/recipe.h>
#include <stoker/source.h>
#include <stoker/train.h>
#include <string.h>

typedef struct split {
    char     name[64];
    uint64_t count;
} split;

enum { SPLITS_MOST = 64, SHARE_MOST = 1000 };

typedef struct listing {
    split  splits[SPLITS_MOST];
    size_t count;
} listing;

static void add_to_split(listing *list, const char *name, uint64_t count)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->splits[i].name, name) == 0) {
            list->splits[i].count += count;
            return;
        }
    if (list->count == SPLITS_MOST) return;
    split *s = &list->splits[list->count++];
    snprintf(s->name, sizeof s->name, "%s", name);
    s->count = count;
}

static const split *find_split(const listing *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->splits[i].name, name) == 0) return &list->splits[i];
    return NULL;
}

static stk_status copy_classes(stk_train_data *out, const stk_feature_info *features, size_t count,
                               stk_error *err)
{
    const stk_feature_info *label = NULL;
    for (size_t i = 0; i < count && !label; i++)
        if (features[i].meaning == STK_MEANING_LABEL && features[i].class_count)
            label = &features[i];
    if (!label) return STK_OK;
    out->classes = (int64_t)label->class_count;
    if (!label->class_names) return STK_OK;
    out->class_names = calloc(label->class_count, sizeof *out->class_names);
    for (size_t i = 0; out->class_names && i < label->class_count; i++)
        if (!(out->class_names[i] = strdup(label->class_names[i])))
            return stk_fail(err, STK_E_NOMEM, "data", NULL, "no memory for class names");
    return out->class_names ? STK_OK
                            : stk_fail(err, STK_E_NOMEM, "data", NULL, "no memory for class names");
}

/* A folder that describes itself: a pack, or TensorFlow Datasets. */
static bool look_at_info(const stk_train_recipe *recipe, listing *list, stk_train_data *out,
                         stk_status *st, stk_error *err)
{
    stk_dataset_info info;
    stk_error        unasked;
    if (stk_dataset_info_read(&info, NULL, recipe->data.path, &unasked)) return false;
    for (size_t i = 0; i < info.split_count; i++)
        for (size_t k = 0; k < info.splits[i].shard_count; k++)
            add_to_split(list, info.splits[i].name, info.splits[i].shard_lengths[k]);
    *st = copy_classes(out, info.features, info.feature_count, err);
    stk_dataset_info_release(&info);
    return list->count > 0 || *st;
}

/* Of all splits together: a class with one picture cannot be learnt and tested. */
static stk_status find_rare_class(const stk_source *source, stk_train_data *out, stk_error *err)
{
    int64_t *count = calloc((size_t)out->classes + 1, sizeof *count);
    if (!count) return stk_fail(err, STK_E_NOMEM, "data", NULL, "no memory for classes");
    for (uint64_t i = 0; i < stk_source_count(source); i++) {
        stk_source_item item;
        stk_source_item_at(source, i, &item);
        if (item.label >= 0 && item.label < out->classes) count[item.label]++;
    }
    for (int64_t c = 0; c < out->classes; c++)
        if (c == 0 || count[c] < out->rare_count) out->rare_class = c, out->rare_count = count[c];
    free(count);
    return STK_OK;
}

static stk_status look_at_source(const stk_train_recipe *recipe, listing *list, stk_train_data *out,
                                 stk_error *err)
{
    stk_source              *source;
    size_t                   count;
    const stk_source_options options = {.kind = *recipe->data.kind ? recipe->data.kind : NULL};
    STK_TRY(stk_source_open(&source, NULL, recipe->data.path, &options, err));
    for (uint64_t i = 0; i < stk_source_count(source); i++) {
        stk_source_item item;
        stk_source_item_at(source, i, &item);
        add_to_split(list, stk_source_split_name(source, item.split), 1);
    }
    const stk_feature_info *features = stk_source_features(source, &count);
    stk_status              st = copy_classes(out, features, count, err);
    if (!st) st = find_rare_class(source, out, err);
    out->source = source;
    return st;
}

/* Records without a description are read once to count classes. */
static stk_status look_at_records(const stk_train_recipe *recipe, listing *list,
                                  stk_train_data *out, stk_error *err)
{
    stk_inspect_report        report;
    const stk_inspect_options options = {.whole = true};
    STK_TRY(stk_inspect(&report, NULL, recipe->data.path, &options, err));
    for (size_t i = 0; i < report.file_count; i++)
        add_to_split(list, report.files[i].split ? report.files[i].split : "train",
                     report.files[i].records);
    for (size_t i = 0; i < report.class_count; i++)
        if (report.classes[i].label >= out->classes) out->classes = report.classes[i].label + 1;
    stk_inspect_report_release(&report);
    return STK_OK;
}

static stk_status list_splits(const stk_train_recipe *recipe, listing *list, stk_train_data *out,
                              stk_error *err)
{
    stk_status st = STK_OK;
    stk_error  why;
    if (look_at_info(recipe, list, out, &st, err)) return st;
    st = look_at_source(recipe, list, out, &why);
    if (st == STK_E_FORMAT && look_at_records(recipe, list, out, err) == STK_OK) return STK_OK;
    if (st && err) *err = why;
    return st;
}

static stk_status choose_train(const stk_train_recipe *recipe, const listing *list,
                               stk_train_data *out, stk_error *err)
{
    const char  *wanted = *recipe->data.split ? recipe->data.split : "train";
    const split *s = find_split(list, wanted);
    char         names[256] = "";
    if (!s && !*recipe->data.split && list->count) s = &list->splits[0];
    if (s) {
        snprintf(out->train_split, sizeof out->train_split, "%s", s->name);
        out->train_count = (int64_t)s->count;
        return STK_OK;
    }
    for (size_t i = 0; i < list->count; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "",
                 list->splits[i].name);
    return stk_fail(err, STK_E_NOTFOUND, "data", recipe->data.path,
                    "there is no split \"%s\"; there are: %s", wanted, names);
}

static const split *usual_validation(const listing *list, const char *train)
{
    static const char *const names[] = {"test", "validation", "val", "valid", "eval", "dev"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const split *s = find_split(list, names[i]);
        if (s && strcmp(s->name, train) != 0) return s;
    }
    return NULL;
}

/* One element of every so many is held back: the nearest such part to the share asked for. */
static stk_status hold_back(stk_train_data *out, double share, const char *path, stk_error *err)
{
    if (!(share > 0 && share <= 0.5))
        return stk_fail(err, STK_E_INVALID, "data", path,
                        "data.validation is a share of %g; it takes 0.001 to 0.5", share);
    double every = floor(1 / share + 0.5);
    if (every > SHARE_MOST) every = SHARE_MOST;
    out->validation_share = 1 / every;
    snprintf(out->validation_split, sizeof out->validation_split, "%s", out->train_split);
    int64_t held = out->train_count / (int64_t)every;
    if (!held)
        return stk_fail(err, STK_E_INVALID, "data", path,
                        "one of %g pictures is to be held back for validation, but there are %lld; "
                        "set data.validation: none, or a larger share",
                        every, (long long)out->train_count);
    out->validation_count = held;
    out->train_count -= held;
    return STK_OK;
}

static stk_status choose_validation(const stk_train_recipe *recipe, const listing *list,
                                    stk_train_data *out, stk_error *err)
{
    enum { ENOUGH_TO_PART = 20 };
    const char  *wanted = recipe->data.validation, *end;
    const split *s = *wanted ? find_split(list, wanted) : usual_validation(list, out->train_split);
    if (strcmp(wanted, "none") == 0) return STK_OK;
    if (s) {
        snprintf(out->validation_split, sizeof out->validation_split, "%s", s->name);
        out->validation_count = (int64_t)s->count;
        return STK_OK;
    }
    if (!*wanted)
        return out->train_count < ENOUGH_TO_PART ? STK_OK
                                                 : hold_back(out, 0.1, recipe->data.path, err);
    double share = stk_decimal_read(wanted, &end);
    if (end == wanted || *end)
        return stk_fail(err, STK_E_NOTFOUND, "data", recipe->data.path,
                        "data.validation is \"%s\", which is neither a split here nor a share such "
                        "as 0.1 nor none",
                        wanted);
    return hold_back(out, share, recipe->data.path, err);
}

static stk_status measure(const stk_element *element, const char *path, stk_train_data *out,
                          stk_error *err)
{
    const stk_value *value = stk_element_value(element, 0);
    char             where[256];
    stk_image_info   info;
    if (value->dtype != STK_DTYPE_BYTES) {
        bool has_channels = value->shape.rank == 3;
        out->height = value->shape.rank >= 2 ? value->shape.dim[0] : 0;
        out->width = value->shape.rank >= 2 ? value->shape.dim[1] : 0;
        out->channels = has_channels ? value->shape.dim[2] : 1;
        return STK_OK;
    }
    stk_element_where(element, where, sizeof where);
    stk_error  why;
    stk_status st =
        stk_image_read_info(((const stk_bytes *)stk_value_data(value))[0], NULL, &info, &why);
    if (st) return stk_fail(err, st, why.stage, *where ? where : path, "%s", why.message);
    out->height = info.height;
    out->width = info.width;
    out->channels = info.channels;
    return STK_OK;
}

static stk_status look_at_first(stk_dataset *data, const char *path, stk_train_data *out,
                                stk_error *err)
{
    stk_iterator              *it;
    stk_element               *element = NULL;
    const stk_iterator_options options = {.threads = 1, .no_autotune = true};
    if (stk_element_spec_find(stk_dataset_spec(data), "label") < 0)
        return stk_fail(err, STK_E_NOTFOUND, "data", path,
                        "the pictures have no labels; put them into folders by class, or name the "
                        "field with the label");
    STK_TRY(stk_iterator_start(&it, data, &options, err));
    stk_status st = stk_iterator_next(it, &element, err);
    if (!st && !element)
        st = stk_fail(err, STK_E_NOTFOUND, "data", path, "there is not a single picture here");
    if (!st) st = measure(element, path, out, err);
    stk_element_unref(element);
    stk_iterator_free(it);
    return st;
}

static stk_status look(const stk_train_recipe *recipe, stk_train_data *out, stk_error *err)
{
    listing     *list = calloc(1, sizeof *list);
    stk_dataset *data = NULL;
    if (!list) return stk_fail(err, STK_E_NOMEM, "data", recipe->data.path, "no memory");
    stk_status st = list_splits(recipe, list, out, err);
    if (!st) st = choose_train(recipe, list, out, err);
    if (!st) st = choose_validation(recipe, list, out, err);
    free(list);
    if (!st && out->classes < 1)
        st = stk_fail(err, STK_E_NOTFOUND, "data", recipe->data.path,
                      "no classes are known; set model.classes");
    const stk_images_options options = {.kind = *recipe->data.kind ? recipe->data.kind : NULL,
                                        .source = out->source,
                                        .split = out->train_split};
    if (!st) st = stk_dataset_images(&data, recipe->data.path, &options, err);
    if (!st) st = look_at_first(data, recipe->data.path, out, err);
    stk_dataset_unref(data);
    return st;
}

stk_status stk_train_look(stk_train_data *out, const stk_train_recipe *recipe, stk_error *err)
{
    *out = (stk_train_data){.rare_count = -1};
    if (!*recipe->data.path)
        return stk_fail(err, STK_E_INVALID, "data", "data.path",
                        "no data is named; give a folder or a pack");
    if (recipe->model.classes > 0) out->classes = recipe->model.classes;
    stk_status st = look(recipe, out, err);
    if (st) stk_train_data_release(out);
    return st;
}

const char *stk_train_data_kind(const stk_train_data *data)
{
    return data->source ? stk_source_kind_name(data->source) : "pack";
}

void stk_train_data_release(stk_train_data *data)
{
    for (int64_t i = 0; data->class_names && i < data->classes; i++)
        free(data->class_names[i]);
    free(data->class_names);
    stk_source_free(data->source);
    *data = (stk_train_data){0};
}
