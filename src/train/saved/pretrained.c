/* Finds and loads pretrained weights. */
#include "train/saved/pretrained.h"
#include "storage/file/paths.h"
#include "train/checkpoint/checkpoint.h"
#include "train/recipe/train_recipe_internal.h"
#include "train/saved/finite_weights.h"
#include "train/saved/known_model.h"
#include "train/saved/model_text.h"
#include "train/saved/run_folder.h"
#include <stdio.h>
#include <stdlib.h>
#include <stoker/safetensors.h>
#include <string.h>

static stk_status find_in_run(stk_pretrained *p, const char *folder, stk_error *err)
{
    static const char *const tries[] = {"best.safetensors", "final.safetensors"};
    char                     checkpoints[STK_TRAIN_PATH];
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        stk_run_folder_path(folder, tries[i], p->weights);
        bool exists;
        STK_TRY(stk_path_exists(NULL, p->weights, &exists, NULL, err));
        if (exists) return STK_OK;
    }
    stk_run_folder_path(folder, "checkpoints", checkpoints);
    const stk_status st =
        stk_checkpoint_find(NULL, checkpoints, NULL, NULL, p->weights, sizeof p->weights, err);
    if (st != STK_E_NOTFOUND) return st;
    return stk_fail(err, STK_E_NOTFOUND, "weights", folder,
                    "the folder has neither best.safetensors nor final.safetensors nor a "
                    "checkpoint; name a run that trained, or a file");
}

/* Reads the file's metadata, and the rest from the run folder around it. */
static stk_status read_file(stk_pretrained *p, stk_error *err)
{
    stk_safetensors *file;
    STK_TRY(stk_safetensors_open(&file, NULL, p->weights, NULL, err));
    const char *recipe = stk_safetensors_text(file, STK_MODEL_RECIPE);
    const char *classes = stk_safetensors_text(file, STK_MODEL_CLASSES);
    stk_status  st = STK_OK;
    if (recipe) st = stk_train_recipe_parse(&p->recipe, stk_bytes_text(recipe), p->weights, err);
    if (recipe && !st) p->has_recipe = true;
    if (classes && !st) st = stk_class_list_parse(&p->classes, classes, p->weights, err);
    const stk_model *known = NULL;
    if (!recipe && !st) st = stk_known_model(&known, file, err);
    if (known) p->model = known->name;
    stk_safetensors_free(file);
    return st;
}

static stk_status read_folder(stk_pretrained *p, const char *folder, stk_error *err)
{
    char path[STK_TRAIN_PATH];
    bool exists;
    stk_run_folder_path(folder, "recipe.yaml", path);
    STK_TRY(stk_path_exists(NULL, path, &exists, NULL, err));
    if (!exists) return STK_OK;
    if (!p->has_recipe) STK_TRY(stk_train_recipe_load(&p->recipe, NULL, path, err));
    p->has_recipe = true;
    stk_run_folder_path(folder, "classes.txt", path);
    STK_TRY(stk_path_exists(NULL, path, &exists, NULL, err));
    if (p->classes.count || !exists) return STK_OK;
    return stk_class_list_read(&p->classes, path, err);
}

static stk_status read_around(stk_pretrained *p, stk_error *err)
{
    static const char *const folders[] = {".", ".."};
    char                     folder[STK_TRAIN_PATH + 4];
    const char              *slash = strrchr(p->weights, '/');
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(folder, sizeof folder, "%.*s%s", slash ? (int)(slash + 1 - p->weights) : 0,
                 p->weights, folders[i]);
        STK_TRY(read_folder(p, folder, err));
    }
    return STK_OK;
}

static stk_status find(stk_pretrained *p, const char *path, stk_error *err)
{
    bool          exists;
    stk_file_info info;
    stk_train_recipe_init(&p->recipe);
    STK_TRY(stk_path_exists(NULL, path, &exists, &info, err));
    if (!exists)
        return stk_fail(err, STK_E_NOTFOUND, "weights", path,
                        "there is no such file or folder; give a safetensors file or the folder of "
                        "a run");
    if (strlen(path) + 64 > sizeof p->weights)
        return stk_fail(err, STK_E_LIMIT, "weights", path, "the path is too long");
    const bool folder = info.kind == STK_FILE_DIRECTORY;
    if (folder) STK_TRY(find_in_run(p, path, err));
    if (!folder) snprintf(p->weights, sizeof p->weights, "%s", path);
    STK_TRY(read_file(p, err));
    return read_around(p, err);
}

stk_status stk_pretrained_find(stk_pretrained *out, const char *path, stk_error *err)
{
    *out = (stk_pretrained){0};
    const stk_status st = find(out, path, err);
    if (st) stk_pretrained_release(out);
    return st;
}

void stk_pretrained_release(stk_pretrained *pretrained)
{
    stk_class_list_release(&pretrained->classes);
    *pretrained = (stk_pretrained){0};
}

static int64_t find_class(const stk_pretrained *p, const char *name)
{
    for (int64_t i = 0; i < p->classes.count; i++)
        if (strcmp(p->classes.names[i], name) == 0) return i;
    return -1;
}

typedef struct telling {
    void (*log)(void *context, const char *line);
    void *context;
    char  text[768];
} telling;

/* Finds the source row of each class; logs classes without one. */
static void match_classes(const stk_pretrained *p, const stk_train_data *data, int64_t *rows,
                          int64_t count, telling *t)
{
    char    list[400] = "", scratch[STK_CLASS_LIST_CAPACITY];
    size_t  used = 0;
    int64_t known = 0;
    for (int64_t i = 0; i < count; i++) {
        const char *name = stk_class_list_name(data, i, scratch);
        rows[i] = find_class(p, name);
        known += rows[i] >= 0;
        if (rows[i] < 0 && used + strlen(name) + 8 < sizeof list)
            used +=
                (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", name);
        else if (rows[i] < 0 && used && list[used - 1] != '.')
            used += (size_t)snprintf(list + used, sizeof list - used, " ...");
    }
    if (known == count)
        snprintf(t->text, sizeof t->text,
                 "weights: all %lld classes are in the file by name; the last layer is kept",
                 (long long)count);
    else if (known)
        snprintf(t->text, sizeof t->text,
                 "weights: %lld of %lld classes are in the file by name and keep their rows of the "
                 "last layer; anew begin: %s",
                 (long long)known, (long long)count, list);
    else
        snprintf(t->text, sizeof t->text,
                 "weights: none of the data's %lld classes is among the file's %lld (%s, ...); the "
                 "last layer begins anew",
                 (long long)count, (long long)p->classes.count, p->classes.names[0]);
}

/* torchvision's files have no class names: equal counts are taken as equal classes. */
static stk_status load_unnamed(const stk_pretrained *p, stk_variables *variables, int64_t classes,
                               telling *t, stk_error *err)
{
    int left_out = 0;
    STK_TRY(stk_weights_load(NULL, p->weights, variables, true, &left_out, err));
    snprintf(t->text, sizeof t->text,
             left_out ? "weights: the file has another number of classes than the data's %lld; the "
                        "last layer begins anew"
                      : "weights: the file does not name its classes; it has as many as the data "
                        "(%lld), so the last layer is kept",
             (long long)classes);
    return STK_OK;
}

static stk_status load(const stk_pretrained *p, const stk_train_recipe *recipe,
                       const stk_train_data *data, stk_variables *variables, telling *t,
                       stk_error *err)
{
    const int64_t count = recipe->model.classes;
    if (!p->classes.count) return load_unnamed(p, variables, count, t, err);
    int64_t *rows = calloc((size_t)count + 1, sizeof *rows);
    if (!rows) return stk_fail(err, STK_E_NOMEM, "weights", p->weights, "no memory for classes");
    match_classes(p, data, rows, count, t);
    const stk_status st = stk_weights_load_rows(NULL, p->weights, variables, rows, count, err);
    free(rows);
    return st;
}

stk_status stk_pretrained_load(const stk_train_recipe *recipe, const stk_train_data *data,
                               stk_variables *variables,
                               void (*log)(void *context, const char *line), void *log_context,
                               stk_error *err)
{
    stk_pretrained p;
    telling        t = {log, log_context, ""};
    if (!*recipe->model.weights) return STK_OK;
    STK_TRY(stk_pretrained_find(&p, recipe->model.weights, err));
    stk_status st = load(&p, recipe, data, variables, &t, err);
    /* Otherwise the first step would fail, and its learning rate be blamed. */
    if (!st) st = stk_variables_check_finite(variables, p.weights, err);
    if (!st && log) log(log_context, t.text);
    stk_pretrained_release(&p);
    return st;
}
