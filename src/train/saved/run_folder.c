/* Creates and resumes run folders. */
#include "train/saved/run_folder.h"
#include "base/hash.h"
#include "storage/file/temporaries.h"
#include "train/recipe/train_recipe_internal.h"
#include "train/saved/class_list.h"
#include <stdio.h>
#include <string.h>

void stk_run_folder_path(const char *folder, const char *name, char path[STK_TRAIN_PATH])
{
    snprintf(path, STK_TRAIN_PATH, "%s/%s", folder, name);
}

/* The recipe without keys that a resumed run may change, such as the path of moved data. */
static stk_train_recipe lasting(const stk_train_recipe *recipe)
{
    stk_train_recipe same = *recipe;
    memset(same.data.path, 0, sizeof same.data.path);
    if (*same.data.pipeline) snprintf(same.data.pipeline, sizeof same.data.pipeline, "a file");
    memset(&same.output, 0, sizeof same.output);
    memset(same.knobs.backend, 0, sizeof same.knobs.backend);
    same.data.cache = STK_CACHE_AUTO;
    memset(same.data.cache_folder, 0, sizeof same.data.cache_folder);
    same.knobs.threads = same.knobs.input_threads = same.knobs.memory_mb =
        same.knobs.steps_in_flight = 0;
    same.train.epochs = 0;
    same.train.steps = 0;
    return same;
}

/* The bytes of a key's value. Words count as the texts that recipes have, auto as none: a run that
 * another version began goes on. */
static stk_bytes value_of(const stk_train_recipe *recipe, const stk_param *key)
{
    const char *field = (const char *)recipe + key->offset;
    if (key->kind == STK_PARAM_ENUM)
        field = stk_param_is_auto(key, recipe) ? "" : stk_train_key_word(recipe, key);
    const bool text = key->kind == STK_PARAM_TEXT || key->kind == STK_PARAM_ENUM;
    return (stk_bytes){(const uint8_t *)field, text ? strlen(field) : key->size};
}

/* Hashes data properties known before reading it; moved data has the same hash. */
static uint64_t hash_data(const stk_train_data *data)
{
    uint64_t hash = stk_hash64_number((uint64_t)data->train_count, (uint64_t)data->classes);
    hash = stk_hash64_number(hash, (uint64_t)data->validation_count);
    hash = stk_hash64(hash, data->train_split, strlen(data->train_split));
    for (int64_t i = 0; data->class_names && i < data->classes; i++)
        hash = stk_hash64(hash, data->class_names[i], strlen(data->class_names[i]) + 1);
    return hash;
}

uint64_t stk_run_fingerprint(const stk_train_recipe *recipe, const stk_train_data *data)
{
    const stk_train_recipe same = lasting(recipe);
    const stk_param       *key;
    uint64_t               hash = hash_data(data);
    for (size_t i = 0; (key = stk_train_key_at(i)); i++) {
        const stk_bytes value = value_of(&same, key);
        hash = stk_hash64(hash, value.data, value.size);
    }
    return hash;
}

/* The first differing key, and the number of them. */
static const stk_param *find_other(const stk_train_recipe *a, const stk_train_recipe *b,
                                   size_t *count)
{
    const stk_train_recipe x = lasting(a), y = lasting(b);
    const stk_param       *key, *first = NULL;
    *count = 0;
    for (size_t i = 0; (key = stk_train_key_at(i)); i++) {
        const stk_bytes u = value_of(&x, key), v = value_of(&y, key);
        if (u.size == v.size && memcmp(u.data, v.data, u.size) == 0) continue;
        if (!first) first = key;
        ++*count;
    }
    return first;
}

static stk_status print_value(const stk_train_recipe *recipe, const stk_param *key, char *text,
                              size_t capacity, stk_error *err)
{
    stk_blob value;
    stk_blob_init(&value, NULL, STK_MEMORY_OUTPUT);
    const stk_status st = stk_train_key_print(recipe, key, &value, err);
    if (!st) snprintf(text, capacity, "%.*s", (int)value.size, (const char *)value.data);
    stk_blob_release(&value);
    return st;
}

/* Fails if the run cannot continue with the recipe; the message names the key. */
static stk_status compare(const stk_train_recipe *before, const stk_train_recipe *now,
                          const char *path, stk_error *err)
{
    char             had[64], has[64], more[40] = "";
    size_t           count;
    const stk_param *key = find_other(before, now, &count);
    if (!key) return STK_OK;
    STK_TRY(print_value(before, key, had, sizeof had, err));
    STK_TRY(print_value(now, key, has, sizeof has, err));
    if (count > 1) snprintf(more, sizeof more, " (and %zu more keys)", count - 1);
    return stk_fail(err, STK_E_INVALID, "train", path,
                    "the run there has another recipe: %s.%s is %s there and %s here%s; leave that "
                    "away, or name another folder",
                    key->group, key->name, had, has, more);
}

static stk_status write_file(const char *path, const void *data, size_t size, stk_error *err)
{
    stk_output *out;
    STK_TRY(stk_output_create(&out, NULL, path, err));
    stk_status st = stk_output_write(out, data, size, err);
    if (!st) st = stk_output_commit(out, err);
    stk_output_close(out);
    return st;
}

stk_status stk_run_folder_write_recipe(const stk_train_recipe *recipe, const char *folder,
                                       stk_error *err)
{
    char     path[STK_TRAIN_PATH];
    stk_blob text;
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    stk_run_folder_path(folder, "recipe.yaml", path);
    stk_status st = stk_train_recipe_print(recipe, &text, err);
    if (!st) st = write_file(path, text.data, text.size, err);
    stk_blob_release(&text);
    return st;
}

static stk_status write_classes(const stk_train_recipe *recipe, const stk_train_data *data,
                                stk_error *err)
{
    char       path[STK_TRAIN_PATH];
    stk_blob   text;
    stk_status st = STK_OK;
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    stk_run_folder_path(recipe->output.folder, "classes.txt", path);
    for (int64_t i = 0; i < recipe->model.classes && !st; i++) {
        char        scratch[STK_CLASS_LIST_CAPACITY];
        const char *name = stk_class_list_name(data, i, scratch);
        st = stk_blob_append(&text, name, strcspn(name, "\r\n"), err);
        if (!st) st = stk_blob_append(&text, "\n", 1, err);
    }
    if (!st) st = write_file(path, text.data, text.size, err);
    stk_blob_release(&text);
    return st;
}

/* A folder has a run if it has a recipe. */
static stk_status check_before(const stk_train_recipe *recipe, bool resume, bool *exists,
                               stk_error *err)
{
    char             path[STK_TRAIN_PATH];
    stk_train_recipe before;
    stk_run_folder_path(recipe->output.folder, "recipe.yaml", path);
    STK_TRY(stk_path_exists(NULL, path, exists, NULL, err));
    if (!*exists) return STK_OK;
    if (!resume)
        return stk_fail(err, STK_E_EXISTS, "train", recipe->output.folder,
                        "there is a run here already; go on with --resume, or name another folder");
    stk_train_recipe_init(&before);
    STK_TRY(stk_train_recipe_load(&before, NULL, path, err));
    return compare(&before, recipe, path, err);
}

static stk_status make_folders(const char *folder, stk_error *err)
{
    char path[STK_TRAIN_PATH];
    STK_TRY(stk_path_make_directories(NULL, folder, err));
    stk_run_folder_path(folder, "checkpoints", path);
    return stk_path_make_directory(NULL, path, err);
}

static stk_status fill(const stk_train_recipe *recipe, const stk_train_data *data, bool resume,
                       stk_error *err)
{
    bool exists;
    STK_TRY(check_before(recipe, resume, &exists, err));
    if (exists) return STK_OK;
    STK_TRY(write_classes(recipe, data, err));
    return stk_run_folder_write_recipe(recipe, recipe->output.folder,
                                       err); /* last: it marks a run */
}

/* Files that training and its command write there. */
static bool is_of_run(const char *name, size_t length)
{
    static const char *const names[] = {"best.safetensors", "final.safetensors", "recipe.yaml",
                                        "classes.txt",      "metrics.csv",       "curve.svg",
                                        "profile.json",     "report.html",       "learning.json",
                                        "test.json",        "left_out.txt",      "trace.json.gz"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0) return true;
    return false;
}

static stk_status enter(const stk_train_recipe *recipe, const stk_train_data *data, bool resume,
                        stk_error *err)
{
    STK_TRY(fill(recipe, data, resume, err));
    return stk_temporaries_sweep(NULL, recipe->output.folder, is_of_run, err);
}

stk_status stk_run_folder_make(const stk_train_recipe *recipe, const stk_train_data *data,
                               bool resume, stk_lock **lock, stk_error *err)
{
    *lock = NULL;
    if (strlen(recipe->output.folder) + 64 > STK_TRAIN_PATH)
        return stk_fail(err, STK_E_LIMIT, "train", recipe->output.folder, "the path is too long");
    STK_TRY(make_folders(recipe->output.folder, err));
    STK_TRY(stk_path_lock(lock, NULL, recipe->output.folder, err));
    stk_status st = enter(recipe, data, resume, err);
    if (st) {
        stk_lock_release(*lock);
        *lock = NULL;
    }
    return st;
}
