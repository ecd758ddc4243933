/* Reads a recipe's data: splits, counts, classes, image properties. */
#include "train/input/class_labels.h"
#include "train/input/splits.h"
#include "train/input/survey.h"
#include <stdlib.h>
#include <stoker/inspect.h>
#include <stoker/source.h>
#include <stoker/train_data.h>
#include <string.h>

static void forget_classes(stk_train_data *out)
{
    for (int64_t i = 0; out->class_names && i < out->classes; i++)
        free(out->class_names[i]);
    free(out->class_names);
    out->class_names = NULL;
}

/* Replaces the classes known so far. */
static stk_status copy_classes(stk_train_data *out, const stk_feature_info *features, size_t count,
                               stk_error *err)
{
    const stk_feature_info *label = NULL;
    for (size_t i = 0; i < count && !label; i++)
        if (features[i].meaning == STK_MEANING_LABEL && features[i].class_count)
            label = &features[i];
    if (!label) return STK_OK;
    forget_classes(out);
    out->classes = (int64_t)label->class_count;
    if (!label->class_names) return STK_OK;
    out->class_names = calloc(label->class_count, sizeof *out->class_names);
    for (size_t i = 0; out->class_names && i < label->class_count; i++)
        if (!(out->class_names[i] = strdup(label->class_names[i])))
            return stk_fail(err, STK_E_NOMEM, "data", NULL, "no memory for class names");
    return out->class_names ? STK_OK
                            : stk_fail(err, STK_E_NOMEM, "data", NULL, "no memory for class names");
}

/* Reads a folder with a description: a pack, or TensorFlow Datasets. */
static stk_status look_at_info(const stk_train_recipe *recipe, stk_split_list *list,
                               stk_train_data *out, stk_error *err)
{
    stk_dataset_info info;
    stk_status       st = stk_dataset_info_read(&info, NULL, recipe->data.path, err);
    if (st) return st == STK_E_NOTFOUND ? STK_OK : st;
    for (size_t i = 0; i < info.split_count; i++) {
        stk_split_list_add(list, info.splits[i].name, 0, info.splits[i].bytes);
        for (size_t k = 0; k < info.splits[i].shard_count; k++)
            stk_split_list_add(list, info.splits[i].name, info.splits[i].shard_lengths[k], 0);
    }
    st = copy_classes(out, info.features, info.feature_count, err);
    stk_dataset_info_release(&info);
    return st;
}

/* Counts classes of the training split: a class of another split alone cannot be learnt. A listing
 * without labels, as of archives, has no counts. */
static stk_status find_rare_class(stk_train_data *out, stk_error *err)
{
    const stk_source *source = out->source;
    uint64_t          labels = 0;
    int64_t          *count = calloc((size_t)out->classes + 1, sizeof *count);
    if (!count) return stk_fail(err, STK_E_NOMEM, "data", NULL, "no memory for classes");
    for (uint64_t i = 0; i < stk_source_count(source); i++) {
        stk_source_item item;
        stk_source_item_at(source, i, &item);
        const bool mine = strcmp(stk_source_split_name(source, item.split), out->train_split) == 0;
        labels += item.label >= 0;
        if (mine && item.label >= 0 && item.label < out->classes) count[item.label]++;
    }
    for (int64_t c = 0; labels && c < out->classes; c++) {
        if (c == 0 || count[c] < out->rare_count) out->rare_class = c, out->rare_count = count[c];
        out->rare_classes += count[c] < STK_TRAIN_FEW;
    }
    free(count);
    return STK_OK;
}

static stk_status look_at_source(const stk_train_recipe *recipe, stk_split_list *list,
                                 stk_train_data *out, stk_error *err)
{
    stk_source              *source;
    size_t                   count;
    const stk_source_options options = {.kind = *recipe->data.kind ? recipe->data.kind : NULL,
                                        .skip_bad = recipe->data.on_bad_sample == STK_ON_BAD_SKIP,
                                        .follow_outside = recipe->data.follow_outside};
    STK_TRY(stk_source_open(&source, NULL, recipe->data.path, &options, err));
    for (uint64_t i = 0; i < stk_source_count(source); i++) {
        stk_source_item item;
        stk_source_item_at(source, i, &item);
        stk_split_list_add(list, stk_source_split_name(source, item.split), 1, item.bytes);
    }
    const stk_feature_info *features = stk_source_features(source, &count);
    stk_status              st = copy_classes(out, features, count, err);
    out->source = source;
    return st;
}

/* Reads records without a description once, to count classes. */
static stk_status look_at_records(const stk_train_recipe *recipe, stk_split_list *list,
                                  stk_train_data *out, stk_error *err)
{
    stk_inspect_report        report;
    const stk_inspect_options options = {.whole = true};
    STK_TRY(stk_inspect(&report, NULL, recipe->data.path, &options, err));
    *list = (stk_split_list){.count = 0};
    for (size_t i = 0; i < report.file_count; i++)
        stk_split_list_add(list, report.files[i].split ? report.files[i].split : "train",
                           report.files[i].records, report.files[i].bytes);
    for (size_t i = 0; i < report.class_count && !out->class_names; i++)
        if (report.classes[i].label >= out->classes) out->classes = report.classes[i].label + 1;
    stk_inspect_report_release(&report);
    return STK_OK;
}

/* A listing of record files has no labels. */
static bool is_of_records(const stk_train_data *out)
{
    return strcmp(stk_source_kind_name(out->source), "tfrecord") == 0;
}

static stk_status list_splits(const stk_train_recipe *recipe, stk_split_list *list,
                              stk_train_data *out, stk_error *err)
{
    stk_error why;
    STK_TRY(look_at_info(recipe, list, out, err));
    if (list->count && out->classes >= 1) return STK_OK;
    if (list->count) return look_at_records(recipe, list, out, err);
    stk_status st = look_at_source(recipe, list, out, &why);
    if (st ? st != STK_E_FORMAT : out->classes >= 1 || !is_of_records(out)) {
        if (st && err) *err = why;
        return st;
    }
    const stk_status again = look_at_records(recipe, list, out, err);
    if (!again || !st || again == STK_E_NOMEM) return again;
    if (err) *err = why;
    return st;
}

static stk_status look(const stk_train_recipe *recipe, stk_train_data *out, stk_error *err)
{
    stk_split_list *list = calloc(1, sizeof *list);
    if (!list) return stk_fail(err, STK_E_NOMEM, "data", recipe->data.path, "no memory");
    stk_status st = list_splits(recipe, list, out, err);
    if (!st) st = stk_splits_choose(recipe, list, out, err);
    if (!st && out->source && !is_of_records(out)) st = find_rare_class(out, err);
    if (!st) st = stk_survey_take(recipe, stk_split_list_bytes(list, out->train_split), out, err);
    free(list);
    if (!st && out->classes < 1)
        st = stk_fail(err, STK_E_NOTFOUND, "data", recipe->data.path,
                      "no classes are known; set model.classes");
    return st;
}

stk_status stk_train_data_read(stk_train_data *out, const stk_train_recipe *recipe, stk_error *err)
{
    *out = (stk_train_data){.rare_count = -1};
    if (!*recipe->data.path)
        return stk_fail(err, STK_E_INVALID, "data", "data.path",
                        "no data is named; give a folder or a pack");
    if (recipe->model.classes > 0) out->classes = recipe->model.classes;
    stk_status st = look(recipe, out, err);
    if (!st && stk_train_wants_labels(recipe)) st = stk_train_read_labels(out, recipe, err);
    if (st) stk_train_data_release(out);
    return st;
}

const char *stk_train_data_kind(const stk_train_data *data)
{
    return data->source ? stk_source_kind_name(data->source) : "pack";
}

void stk_train_data_release(stk_train_data *data)
{
    forget_classes(data);
    free(data->labels);
    stk_source_free(data->source);
    *data = (stk_train_data){0};
}
