/* Opens the data to evaluate on. */
#include "train/tasks/eval_data.h"
#include "train/tasks/predictor.h"
#include <stdio.h>
#include <stdlib.h>
#include <stoker/dataset_info.h>
#include <stoker/source.h>
#include <string.h>

/* Other data is for evaluation: uses its test or validation split, else all of it. */
static const char *other_split(const stk_train_data *data)
{
    if (data->test_count) return data->test_split;
    return data->validation_count && data->validation_fraction == 0 ? data->validation_split
                                                                    : data->train_split;
}

/* Reads the folder's description; empty if there is none. */
static stk_status read_info(const stk_eval_data *d, stk_dataset_info *info, stk_error *err)
{
    const stk_status st = stk_dataset_info_read(info, NULL, d->recipe.data.path, err);
    return st == STK_E_NOTFOUND ? STK_OK : st;
}

static stk_status count_splits(stk_eval_data *d, stk_error *err)
{
    stk_dataset_info info;
    if (d->data.source) {
        d->splits = stk_source_split_count(d->data.source);
        return STK_OK;
    }
    STK_TRY(read_info(d, &info, err));
    d->splits = info.split_count;
    stk_dataset_info_release(&info);
    return STK_OK;
}

/* A user's pipeline defines its own labels. */
static bool is_own_pipeline(const stk_eval_data *d)
{
    return *d->recipe.data.pipeline && !d->split;
}

static int64_t count_listed(const stk_split_info *split)
{
    int64_t count = 0;
    for (size_t i = 0; i < split->shard_count; i++)
        count += (int64_t)split->shard_lengths[i];
    return count;
}

/* The expected number of images. */
static stk_status find_count(stk_eval_data *d, stk_error *err)
{
    stk_dataset_info info;
    stk_source_item  item;
    d->listed = d->split || is_own_pipeline(d) ? -1 : d->data.validation_count;
    if (!d->split) return STK_OK;
    if (d->data.source) d->listed = 0;
    for (uint64_t i = 0; d->data.source && i < stk_source_count(d->data.source); i++) {
        stk_source_item_at(d->data.source, i, &item);
        d->listed += strcmp(stk_source_split_name(d->data.source, item.split), d->split) == 0;
    }
    if (d->data.source) return STK_OK;
    STK_TRY(read_info(d, &info, err));
    for (size_t i = 0; i < info.split_count; i++)
        if (strcmp(info.splits[i].name, d->split) == 0) d->listed = count_listed(&info.splits[i]);
    stk_dataset_info_release(&info);
    return STK_OK;
}

static stk_status choose_split(stk_eval_data *d, const stk_evaluate_options *o, stk_error *err)
{
    STK_TRY(count_splits(d, err));
    d->split = o->split                   ? o->split
               : o->data                  ? other_split(&d->data)
               : d->data.validation_count ? NULL
                                          : d->data.train_split;
    return STK_OK;
}

/* Which classes have images in the split, if the data was listed; NULL: not known. */
static stk_status count_classes(const stk_eval_data *d, bool **out, stk_error *err)
{
    const stk_source *source = d->data.source;
    const char       *split = d->split ? d->split : d->data.validation_split;
    *out = NULL;
    if (!source) return STK_OK;
    *out = calloc((size_t)d->data.classes + 1, sizeof **out);
    if (!*out) return stk_fail(err, STK_E_NOMEM, "classes", NULL, "no memory");
    for (uint64_t i = 0; i < stk_source_count(source); i++) {
        stk_source_item item;
        stk_source_item_at(source, i, &item);
        if (item.label >= 0 && item.label < d->data.classes &&
            strcmp(stk_source_split_name(source, item.split), split) == 0)
            (*out)[item.label] = true;
    }
    return STK_OK;
}

static stk_status match(stk_eval_data *d, const stk_predictor *predictor,
                        const stk_evaluate_options *o, stk_error *err)
{
    stk_class_sides sides = {.data_names = is_own_pipeline(d) ? NULL : d->data.class_names,
                             .data_count = d->data.classes,
                             .path = d->recipe.data.path,
                             .log = is_own_pipeline(d) ? NULL : o->log,
                             .log_context = o->log_context};
    bool           *occurs;
    sides.run_names = stk_predictor_names(predictor, &sides.run_count);
    STK_TRY(count_classes(d, &occurs, err));
    sides.occurs = occurs;
    const stk_status st = stk_class_match_make(&d->match, o->classes, &sides, err);
    free(occurs);
    d->match.classes = stk_predictor_classes(predictor);
    return st;
}

static void note_left_out(stk_eval_data *d, const stk_evaluate_options *o)
{
    char                       text[600], line[620];
    size_t                     count = 0;
    const stk_source_left_out *all = NULL;
    if (!d->data.source) return;
    all = stk_source_left_outs(d->data.source, &count);
    for (size_t i = 0; i < count; i++)
        if (all[i].reason == STK_LEFT_OUT_OUTSIDE) d->outside += (int64_t)all[i].count;
    stk_source_left_out_text(d->data.source, text, sizeof text);
    snprintf(line, sizeof line, "left out: %s", text);
    if (*text && o->log) o->log(o->log_context, line);
}

stk_status stk_eval_data_open(stk_eval_data *out, const stk_predictor *predictor,
                              const stk_evaluate_options *options, stk_error *err)
{
    stk_train_recipe *r = &out->recipe;
    *out = (stk_eval_data){.recipe = *stk_predictor_recipe(predictor)};
    if (options->data) {
        snprintf(r->data.path, sizeof r->data.path, "%s", options->data);
        snprintf(r->data.kind, sizeof r->data.kind, "%s", options->kind ? options->kind : "");
        r->data.split[0] = r->data.pipeline[0] = r->data.test[0] = r->data.validation[0] = 0;
    }
    if (options->follow_outside) r->data.follow_outside = true;
    if (options->on_bad)
        STK_TRY(stk_train_recipe_set(r, "data.on_bad_sample", options->on_bad, "on_bad", err));
    STK_TRY(stk_train_data_read(&out->data, r, err));
    note_left_out(out, options);
    STK_TRY(choose_split(out, options, err));
    STK_TRY(find_count(out, err));
    r->model.classes = INT32_MAX; /* labels are checked when they are matched */
    return match(out, predictor, options, err);
}

void stk_eval_data_release(stk_eval_data *data)
{
    stk_class_match_release(&data->match);
    stk_train_data_release(&data->data);
}

stk_status stk_eval_data_loader(const stk_eval_data *data, const stk_evaluate_options *options,
                                stk_loader **out, stk_error *err)
{
    const stk_loader_options loader = {.recipe = &data->recipe,
                                       .data = &data->data,
                                       .evaluate = true,
                                       .origins = true,
                                       .size = data->recipe.data.size,
                                       .seed = 1,
                                       .split = data->split,
                                       .cancel = options->cancel,
                                       .log = options->log,
                                       .log_context = options->log_context};
    return stk_loader_open(out, &loader, err);
}
