/* Locates a trained model. */
#include "train/tasks/model_source.h"
#include "train/recipe/train_recipe_internal.h"
#include "train/saved/run_folder.h"
#include <stdio.h>
#include <stdlib.h>
#include <stoker/presets.h>
#include <stoker/safetensors.h>
#include <stoker/train_resolve.h>
#include <string.h>

/* Reads the recipe and the classes of a run folder. */
static stk_status read_folder(stk_model_source *s, const char *folder, stk_error *err)
{
    char path[STK_TRAIN_PATH];
    stk_run_folder_path(folder, "recipe.yaml", path);
    STK_TRY(stk_train_recipe_load(&s->recipe, NULL, path, err));
    snprintf(s->recipe.output.folder, sizeof s->recipe.output.folder, "%s", folder);
    stk_run_folder_path(folder, "classes.txt", path);
    return stk_class_list_read(&s->classes, path, err);
}

/* The run folder around a weights file or a checkpoint folder, if any. */
static stk_status find_folder(const char *weights, char folder[STK_TRAIN_PATH], bool *found,
                              stk_error *err)
{
    static const char below[] = "checkpoints/";
    char              path[STK_TRAIN_PATH];
    const char       *slash = strrchr(weights, '/');
    size_t            length = slash ? (size_t)(slash + 1 - weights) : 0;
    const size_t      more = sizeof below - 1;
    if (length >= more && strncmp(weights + length - more, below, more) == 0) length -= more;
    snprintf(folder, STK_TRAIN_PATH, "%.*s.", (int)length, weights);
    stk_run_folder_path(folder, "recipe.yaml", path);
    return stk_path_exists(NULL, path, found, NULL, err);
}

/* Reads the file's own metadata; *found: it has some. */
static stk_status read_texts(stk_model_source *s, bool *found, stk_error *err)
{
    stk_safetensors *file;
    STK_TRY(stk_safetensors_open(&file, NULL, s->weights, NULL, err));
    const char *recipe = stk_safetensors_text(file, STK_MODEL_RECIPE);
    const char *classes = stk_safetensors_text(file, STK_MODEL_CLASSES);
    stk_status  st = STK_OK;
    *found = recipe && classes;
    if (*found) st = stk_train_recipe_parse(&s->recipe, stk_bytes_text(recipe), s->weights, err);
    if (*found && !st) st = stk_class_list_parse(&s->classes, classes, s->weights, err);
    stk_safetensors_free(file);
    return st;
}

/* A number of classes, or a file with their names. */
static stk_status read_classes(stk_model_source *s, const char *text, stk_error *err)
{
    enum { CLASSES_MAX = 10000000 };
    char         *end;
    const int64_t count = strtoll(text, &end, 10);
    stk_class_list_release(&s->classes);
    if (*text && !*end && count >= 1 && count <= CLASSES_MAX)
        return stk_class_list_number(&s->classes, count, err);
    return stk_class_list_read(&s->classes, text, err);
}

/* More names than outputs would exceed tables indexed by class. */
static stk_status check_count(const stk_model_source *s, const char *where, stk_error *err)
{
    const int64_t trained = s->recipe.model.classes;
    if (trained <= 0 || s->classes.count == trained) return STK_OK;
    return stk_fail(err, STK_E_INVALID, "model", where,
                    "it has %lld classes, but the model was trained with %lld",
                    (long long)s->classes.count, (long long)trained);
}

/* Options override the file and the folder. */
static stk_status apply_options(stk_model_source *s, const stk_predictor_options *o, stk_error *err)
{
    stk_train_recipe *r = &s->recipe;
    if (o->model) STK_TRY(stk_train_recipe_set(r, "model.name", o->model, "model", err));
    if (o->preset) STK_TRY(stk_train_recipe_set(r, "data.preset", o->preset, "preset", err));
    if (o->size > 0) r->data.size = o->size;
    if (o->classes) STK_TRY(read_classes(s, o->classes, err));
    if (!s->classes.count) return STK_OK; /* the lack of classes is reported next */
    if (o->classes) return check_count(s, o->classes, err);
    char path[STK_TRAIN_PATH];
    stk_run_folder_path(r->output.folder, "classes.txt", path);
    return check_count(s, *r->output.folder ? path : s->weights, err);
}

static stk_status check_told(const stk_model_source *s, const stk_predictor_options *o,
                             stk_error *err)
{
    if (o->model && o->preset && o->classes) return STK_OK;
    return stk_fail(err, STK_E_INVALID, "model", s->weights,
                    "the file does not say what model it is of, and it lies in no run folder; "
                    "tell: --model NAME, --preset NAME, --classes FILE (or a number)%s",
                    o->size > 0 ? "" : " and, where it is not the preset's, --size N");
}

/* Resolves keys that do not matter here as if for training. */
static stk_status resolve_rest(stk_model_source *s, const char *backend, stk_error *err)
{
    stk_train_recipe *r = &s->recipe;
    if (backend) STK_TRY(stk_train_recipe_set(r, "knobs.backend", backend, "backend", err));
    const stk_preset *preset = stk_preset_find(r->data.preset);
    const int64_t     side = r->data.size > 0 ? r->data.size : preset ? preset->size : 0;
    if (r->data.size < 0) r->data.size = side;
    const stk_train_data data = {.classes = s->classes.count,
                                 .train_count = 1,
                                 .width = side,
                                 .height = side,
                                 .channels = preset ? preset->channels : 3,
                                 .rare_count = -1};
    strcpy(r->output.folder, ".");
    return stk_train_resolve(r, &data, NULL, err);
}

static stk_status read_file(stk_model_source *s, const stk_predictor_options *o, stk_error *err)
{
    char folder[STK_TRAIN_PATH];
    bool alone, found = false;
    if (o->which)
        return stk_fail(err, STK_E_INVALID, "model", s->weights,
                        "it is a file of weights, of which there is nothing to choose (%s)",
                        o->which);
    STK_TRY(read_texts(s, &alone, err));
    if (!alone && !o->model) STK_TRY(find_folder(s->weights, folder, &found, err));
    if (found) {
        STK_TRY(read_folder(s, folder, err));
        return apply_options(s, o, err);
    }
    if (!alone) STK_TRY(check_told(s, o, err));
    STK_TRY(apply_options(s, o, err));
    return resolve_rest(s, o->backend, err);
}

stk_status stk_model_source_find(stk_model_source *out, const char *path,
                                 const stk_predictor_options *options, stk_error *err)
{
    bool          exists;
    stk_file_info info;
    memset(out, 0, sizeof *out);
    stk_train_recipe_init(&out->recipe);
    snprintf(out->weights, sizeof out->weights, "%s", path);
    STK_TRY(stk_path_exists(NULL, path, &exists, &info, err));
    if (exists && info.kind != STK_FILE_DIRECTORY) return read_file(out, options, err);
    STK_TRY(read_folder(out, path, err));
    STK_TRY(apply_options(out, options, err));
    return stk_run_weights_find(path, options->which, out->weights, sizeof out->weights, out->note,
                                err);
}

void stk_model_source_release(stk_model_source *source)
{
    stk_class_list_release(&source->classes);
}
