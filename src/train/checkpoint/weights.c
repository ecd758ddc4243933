/* Weights to begin with: a model's tensors by name, and what need not be there. */
#include "train/checkpoint/format.h"
#include "train/checkpoint/staging.h"

#include "storage/file/paths.h"

#include <stoker/json.h>
#include <string.h>

enum { SHAPE_ROOM = 192 };

typedef struct weights {
    const char        *path;
    stk_safetensors   *file;
    stk_json_document *optimizer; /* the file's own list; NULL: it has none */
    stk_variables     *variables;
    stk_staging        staging;
    const char        *head;        /* a name of the last layer; NULL: none may differ */
    size_t             head_length; /* of what the names of that layer begin with */
    int                left_out;
} weights;

static bool is_model(stk_variable_role role)
{
    return role == STK_VARIABLE_PARAMETER || role == STK_VARIABLE_STATISTIC;
}

/* Models are built from first to last layer, and variables are in that order. */
static void find_head(weights *w)
{
    for (size_t i = stk_variables_count(w->variables); i-- > 0 && !w->head;) {
        const stk_variable_info info = stk_variables_at(w->variables, i);
        if (info.role == STK_VARIABLE_PARAMETER) w->head = info.name;
    }
    const char *dot = w->head ? strrchr(w->head, '.') : NULL;
    if (w->head) w->head_length = dot ? (size_t)(dot + 1 - w->head) : strlen(w->head);
}

static bool is_in_head(const weights *w, const char *name)
{
    if (!w->head || strncmp(name, w->head, w->head_length)) return false;
    return w->head[w->head_length] ? !strchr(name + w->head_length, '.') : !name[w->head_length];
}

/* Classes are the first dimension of a last layer's weight and bias. */
static bool differs_in_classes(const stk_safetensors_tensor *t, const stk_variable_info *info)
{
    stk_shape other = t->shape;
    if (t->dtype != info->dtype || other.rank != info->shape.rank || !other.rank) return false;
    other.dim[0] = info->shape.dim[0];
    return stk_shape_equal(&other, &info->shape);
}

static stk_status plan_variable(weights *w, size_t index, stk_error *err)
{
    const stk_variable_info       info = stk_variables_at(w->variables, index);
    const stk_safetensors_tensor *t;
    if (!is_model(info.role)) return STK_OK;
    const stk_status st = stk_staging_match(w->file, &info, w->path, &t, err);
    if (!st) return stk_staging_add(&w->staging, t, index, err);
    if (!t || !is_in_head(w, info.name) || !differs_in_classes(t, &info)) return st;
    w->left_out++;
    return STK_OK;
}

static bool is_in_list(const weights *w, const char *name)
{
    const stk_json_value *list = w->optimizer ? stk_json_root(w->optimizer) : NULL;
    for (size_t i = 0; i < stk_json_count(list); i++)
        if (!strcmp(stk_json_text(stk_json_at(list, i), ""), name)) return true;
    return false;
}

/* Whether a tensor of the file has a variable, or need not have one. */
static bool is_accounted(const weights *w, const char *name)
{
    return stk_variables_find(w->variables, name) != SIZE_MAX || stk_checkpoint_is_ours(name) ||
           !strcmp(stk_path_extension(name), "num_batches_tracked") || is_in_list(w, name);
}

static stk_status check_left_over(const weights *w, stk_error *err)
{
    char shape[SHAPE_ROOM];
    for (size_t i = 0; i < stk_safetensors_count(w->file); i++) {
        const stk_safetensors_tensor *t = stk_safetensors_at(w->file, i);
        if (is_accounted(w, t->name)) continue;
        return stk_fail(err, STK_E_INVALID, "weights", w->path,
                        "the file has '%s' as %s%s but the model has no such variable: it is of "
                        "another model",
                        t->name, stk_dtype_name(t->dtype),
                        stk_shape_text(&t->shape, shape, sizeof shape));
    }
    return STK_OK;
}

/* Only a checkpoint says which of its tensors are no part of the model. */
static stk_status read_list(weights *w, stk_error *err)
{
    if (!stk_safetensors_text(w->file, STK_CHECKPOINT_VERSION)) return STK_OK;
    STK_TRY(stk_checkpoint_check(w->file, w->path, err));
    const char *text = stk_safetensors_text(w->file, STK_CHECKPOINT_OPTIMIZER);
    return text ? stk_json_parse(&w->optimizer, stk_bytes_text(text), w->path, err) : STK_OK;
}

static stk_status load(weights *w, stk_error *err)
{
    STK_TRY(read_list(w, err));
    for (size_t i = 0; i < stk_variables_count(w->variables); i++)
        STK_TRY(plan_variable(w, i, err));
    STK_TRY(check_left_over(w, err));
    STK_TRY(stk_staging_read(&w->staging, w->file, err));
    return stk_staging_put(&w->staging, w->variables, err);
}

stk_status stk_weights_load(const stk_filesystem *fs, const char *path, stk_variables *variables,
                            bool allow_other_head, int *left_out, stk_error *err)
{
    weights w = {.path = path, .variables = variables};
    if (left_out) *left_out = 0;
    STK_TRY(stk_safetensors_open(&w.file, fs, path, NULL, err));
    stk_staging_init(&w.staging, variables);
    if (allow_other_head) find_head(&w);
    const stk_status st = load(&w, err);
    if (!st && left_out) *left_out = w.left_out;
    stk_staging_release(&w.staging);
    stk_json_document_free(w.optimizer);
    stk_safetensors_free(w.file);
    return st;
}
