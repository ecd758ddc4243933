/* The input pipeline: open, preprocess, batch, mix. */
#include "train/input/input_plan.h"
#include "pipeline/functions/edit_image.h"
#include "pipeline/functions/fn_mix.h"
#include "pipeline/functions/origin.h"
#include "train/input/edit_defer.h"
#include <stdio.h>
#include <stdlib.h>
#include <stoker/dataset_operators.h>
#include <stoker/functions.h>
#include <stoker/presets.h>
#include <stoker/recipe.h>
#include <string.h>

static const char *text_or_null(const char *text)
{
    return *text ? text : NULL;
}

static bool once(const stk_loader_options *o)
{
    return o->evaluate || o->plain;
}

/* The filesystem to read through. */
static const stk_filesystem *files_of(const stk_loader_options *o)
{
    const stk_filesystem *kept = o->path ? NULL : stk_data_cache_files(o->cache, o->evaluate);
    return kept ? kept : stk_faults_files(o->faults);
}

/* The listed source, if it was opened with files_of's filesystem. */
static struct stk_source *source_of(const stk_loader_options *o)
{
    if (o->path) return NULL;
    if (stk_data_cache_files(o->cache, o->evaluate)) return o->cache->source;
    return stk_faults_files(o->faults) ? NULL : o->data->source;
}

/* Keeps every so many-th label. Returns a new array; NULL: no memory. */
static int64_t *thin_out(const int64_t *labels, int64_t *count, int64_t every)
{
    const int64_t left = every > 1 ? (*count + every - 1) / every : *count;
    int64_t      *some = calloc((size_t)left + 1, sizeof *some);
    for (int64_t i = 0; some && i < left; i++)
        some[i] = labels[every > 1 ? i * every : i];
    *count = left;
    return some;
}

/* Labels for class-balanced sampling. */
static stk_status open_balanced(stk_dataset **data, const stk_loader_options *o,
                                stk_images_options *images, const char *path, stk_error *err)
{
    int64_t count = o->data->train_count;
    if (!o->data->labels)
        return stk_fail(err, STK_E_INVALID, "data", path,
                        "data.balance needs the labels of the images, which were not read");
    int64_t *labels = thin_out(o->data->labels, &count, o->subsample);
    if (!labels) return stk_fail(err, STK_E_NOMEM, "data", path, "no memory for labels");
    images->labels = labels;
    images->label_count = (uint64_t)count;
    images->classes = o->data->classes;
    const stk_status st = stk_dataset_images(data, path, images, err);
    free(labels);
    return st;
}

static stk_status open_images(stk_dataset **data, const stk_loader_options *o, stk_error *err)
{
    const stk_train_data *d = o->data;
    bool own = !o->path && !o->split; /* the recipe's own splits, which may have a held-out part */
    bool held = d->validation_fraction > 0 && own;
    stk_images_options images = {
        .fs = files_of(o),
        .kind = text_or_null(o->recipe->data.kind),
        .skip_bad = o->recipe->data.on_bad_sample == STK_ON_BAD_SKIP,
        .follow_outside = o->recipe->data.follow_outside,
        .source = source_of(o),
        .split = o->split      ? o->split
                 : o->evaluate ? d->validation_split
                               : d->train_split,
        .holdout_every = held ? (int64_t)(1 / d->validation_fraction + 0.5) : 0,
        .holdout_only = held && o->evaluate,
        .subsample = o->subsample,
        .shuffle = once(o)                       ? 0
                   : o->recipe->data.shuffle < 0 ? STK_AUTO
                                                 : o->recipe->data.shuffle,
        .repeat = once(o) ? 0 : STK_AUTO,
    };
    const char *path = o->path ? o->path : o->recipe->data.path;
    if (!once(o) && own && stk_loader_balances(o->recipe))
        return open_balanced(data, o, &images, path, err);
    return stk_dataset_images(data, path, &images, err);
}

static void log_note(void *context, const char *text)
{
    const stk_loader_options *o = context;
    char                      line[300];
    snprintf(line, sizeof line, "WARNING: %s", text);
    o->log(o->log_context, line);
}

/* A list of stages of a person's own gives images that are ready. A run opens it again for other
 * epochs: former names are reported the first time. */
static stk_status open_pipeline(stk_dataset **data, const stk_loader_options *o, stk_error *err)
{
    const bool               reports = o->log && !once(o) && !o->epoch;
    stk_loader_options       copy = *o;
    const stk_recipe_options options = {.fs = stk_data_cache_files(o->cache, false),
                                        .note = reports ? log_note : NULL,
                                        .note_context = &copy};
    STK_TRY(stk_recipe_load(data, o->recipe->data.pipeline, &options, err));
    if (stk_loader_paints_on_device(o->recipe, once(o)))
        STK_TRY(stk_dataset_defer_edits(data, err));
    return once(o) ? STK_OK : stk_dataset_repeat(data, STK_AUTO, err);
}

static stk_status put(stk_dataset **data, stk_function *function, stk_error *err)
{
    stk_status st = stk_dataset_map(data, function, NULL, err);
    stk_function_unref(function);
    return st;
}

/* Decodes and resizes only. */
static stk_status prepare_plain(stk_dataset **data, const stk_loader_options *o, stk_error *err)
{
    static const stk_preset_op no_steps[] = {{NULL, NULL, 0}};
    stk_preset                 bare = *stk_preset_find(o->recipe->data.preset);
    const stk_preset_options   options = {.size = (int)o->recipe->data.size};
    bare.train = no_steps;
    STK_TRY(open_images(data, o, err));
    return stk_dataset_preset(data, &bare, &options, err);
}

/* A preset that crops would show less of an image at a smaller size. It therefore crops at its own
 * size, and the result is resized. */
static stk_status prepare(stk_dataset **data, const stk_loader_options *o, stk_error *err)
{
    const stk_preset *preset = stk_preset_find(o->recipe->data.preset);
    bool              crops = stk_preset_has(preset, o->evaluate, "random_crop") ||
                 !stk_preset_has(preset, o->evaluate, "random_resized_crop");
    int64_t            size = crops && !o->evaluate ? o->recipe->data.size : o->size;
    stk_preset_options options = {
        .evaluate = o->evaluate, .size = (int)size, .augment_reduction = o->augment_reduction};
    stk_function *function;
    char          smaller[64];
    if (o->plain) return prepare_plain(data, o, err);
    STK_TRY(open_images(data, o, err));
    STK_TRY(stk_dataset_preset(data, preset, &options, err));
    if (size == o->size) return STK_OK;
    snprintf(smaller, sizeof smaller, "size=%d filter=bilinear", (int)o->size);
    int image = stk_element_spec_find(stk_dataset_spec(*data), "image");
    STK_TRY(stk_function_image(&function, image, "resize", smaller, 1, err));
    return put(data, function, err);
}

/* Validation images, which a run caches after the first evaluation. */
static stk_status prepare_once(stk_dataset **data, const stk_loader_options *o, stk_error *err)
{
    const bool kept = o->evaluate && !o->path && !o->split && stk_data_cache_prepares(o->cache);
    if (kept && o->cache->prepared) {
        *data = stk_dataset_ref(o->cache->prepared);
        return STK_OK;
    }
    STK_TRY(prepare(data, o, err));
    return kept ? stk_data_cache_prepare(o->cache, data, err) : STK_OK;
}

/* Index of the value "edits" in a batch, present or to be added. */
static int edits_of(const stk_dataset *data)
{
    const stk_element_spec *spec = stk_dataset_spec(data);
    const int               found = stk_element_spec_find(spec, "edits");
    return found >= 0 ? found : (int)spec->count;
}

static stk_status mix_on_device(stk_dataset **data, const stk_train_recipe *r, int image, int label,
                                stk_error *err)
{
    const bool    cut = r->data.cutmix > 0;
    stk_function *function;
    STK_TRY(stk_function_mix_edits(&function, image, label, edits_of(*data),
                                   cut ? r->data.cutmix : r->data.mixup, cut, err));
    return put(data, function, err);
}

static stk_status mix(stk_dataset **data, const stk_loader_options *o, int image, int label,
                      stk_error *err)
{
    const stk_train_recipe *r = o->recipe;
    stk_function           *function;
    if (stk_loader_mixes_on_device(r, false, false))
        return mix_on_device(data, r, image, label, err);
    if (r->data.mixup > 0) {
        STK_TRY(stk_function_mixup(&function, image, label, r->data.mixup, err));
        STK_TRY(put(data, function, err));
    }
    if (r->data.cutmix > 0) {
        STK_TRY(stk_function_cutmix(&function, image, label, r->data.cutmix, false, err));
        STK_TRY(put(data, function, err));
    }
    return STK_OK;
}

static stk_status make_batches(stk_dataset **data, const stk_loader_options *o, int image,
                               int label, stk_error *err)
{
    const stk_train_recipe *r = o->recipe;
    bool                    soft = stk_loader_soft(r, once(o));
    stk_function           *function;
    if (r->data.on_bad_sample == STK_ON_BAD_SKIP)
        STK_TRY(stk_dataset_ignore_errors(data, true, err));
    if (soft) {
        STK_TRY(stk_function_one_hot(&function, label, r->model.classes, 0, err));
        STK_TRY(put(data, function, err));
    }
    STK_TRY(stk_faults_prepare(o->faults, data, err));
    const stk_batch_options batch = {.drop_remainder = !once(o)};
    STK_TRY(stk_dataset_batch(data, once(o) ? r->data.eval_batch : r->data.batch, &batch, err));
    if (soft) return mix(data, o, image, label, err);
    if (!stk_loader_paints_on_device(r, once(o))) return STK_OK;
    STK_TRY(stk_function_number_edits(&function, image, edits_of(*data), err));
    return put(data, function, err);
}

/* Finds image and label; edits are added to batches. */
static stk_status find_values(const stk_loader_options *o, const stk_dataset *data,
                              stk_loader_values *values, stk_error *err)
{
    const stk_element_spec *spec = stk_dataset_spec(data);
    *values = (stk_loader_values){.image = stk_element_spec_find(spec, "image"),
                                  .label = stk_element_spec_find(spec, "label"),
                                  .edits = -1,
                                  .file = -1,
                                  .record = -1};
    if (values->image >= 0 && values->label >= 0) return STK_OK;
    return stk_fail(err, STK_E_NOTFOUND, "data", o->recipe->data.path,
                    "the data has no value called \"%s\"", values->image < 0 ? "image" : "label");
}

/* Appended after image and label, whose indices stay. */
static stk_status add_origins(stk_dataset **data, stk_loader_values *values, stk_error *err)
{
    stk_function *function;
    STK_TRY(stk_function_origin(&function, err));
    STK_TRY(put(data, function, err));
    values->file = stk_element_spec_find(stk_dataset_spec(*data), "origin_file");
    values->record = stk_element_spec_find(stk_dataset_spec(*data), "origin_record");
    return STK_OK;
}

stk_status stk_loader_describe(const stk_loader_options *options, stk_dataset **out,
                               stk_loader_values *values, stk_error *err)
{
    const stk_loader_options *o = options;
    *out = NULL;
    STK_TRY(*o->recipe->data.pipeline && !o->path && !o->split ? open_pipeline(out, o, err)
                                                               : prepare_once(out, o, err));
    STK_TRY(find_values(o, *out, values, err));
    if (o->origins) STK_TRY(add_origins(out, values, err));
    STK_TRY(make_batches(out, o, values->image, values->label, err));
    if (stk_loader_mixes_on_device(o->recipe, once(o), false) ||
        stk_loader_paints_on_device(o->recipe, once(o)))
        values->edits = stk_element_spec_find(stk_dataset_spec(*out), "edits");
    return STK_OK;
}
