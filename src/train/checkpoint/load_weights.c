/* Loads initial weights by tensor name, and decides which tensors may be missing. */
#include "train/checkpoint/checkpoint_format.h"
#include "train/checkpoint/staging.h"

#include "storage/file/paths.h"

#include <stoker/json.h>
#include <string.h>

enum { SHAPE_CAPACITY = 192, HEAD_TENSORS = 8 };

/* A tensor of the last layer that is loaded by rows. */
typedef struct head_tensor {
    const stk_safetensors_tensor *tensor;
    size_t                        variable, offset; /* offset: of its data in scratch */
} head_tensor;

typedef struct weights {
    const char        *path;
    stk_safetensors   *file;
    stk_json_document *optimizer; /* the file's list; NULL: none */
    stk_variables     *variables;
    stk_staging        staging;
    const char        *head;        /* a name of the last layer; NULL: all layers must match */
    size_t             head_length; /* of the common prefix of that layer's names */
    int                left_out;
    const int64_t     *rows;      /* of the last layer, in the file; NULL: all rows in order */
    int64_t            row_count; /* in the model */
    head_tensor        tensors[HEAD_TENSORS];
    size_t             tensor_count;
    stk_blob           scratch; /* of the last layer, tensor after tensor */
} weights;

static bool is_model(stk_variable_role role)
{
    return role == STK_VARIABLE_PARAMETER || role == STK_VARIABLE_STATISTIC;
}

/* Models are built from first to last layer, and variables keep that order. */
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

static stk_status grow(stk_blob *blob, size_t bytes, stk_error *err)
{
    STK_TRY(stk_blob_reserve(blob, blob->size + bytes, err));
    blob->size += bytes;
    return STK_OK;
}

static int64_t last_row(const weights *w)
{
    int64_t last = -1;
    for (int64_t i = 0; i < w->row_count; i++)
        if (w->rows[i] > last) last = w->rows[i];
    return last;
}

/* Plans a tensor whose rows are mapped, whatever their number. */
static stk_status plan_rows(weights *w, const stk_safetensors_tensor *t,
                            const stk_variable_info *info, size_t index, stk_error *err)
{
    if (info->shape.rank < 1 || info->shape.dim[0] != w->row_count ||
        w->tensor_count == HEAD_TENSORS)
        return stk_fail(err, STK_E_SHAPE, "weights", w->path,
                        "'%s' does not have the %lld classes as its first dimension", info->name,
                        (long long)w->row_count);
    if (last_row(w) >= t->shape.dim[0])
        return stk_fail(err, STK_E_RANGE, "weights", w->path,
                        "'%s' has %lld rows but the file names %lld classes", info->name,
                        (long long)t->shape.dim[0], (long long)last_row(w) + 1);
    w->tensors[w->tensor_count++] = (head_tensor){t, index, w->scratch.size};
    return grow(&w->scratch, (size_t)t->bytes, err);
}

static stk_status plan_variable(weights *w, size_t index, stk_error *err)
{
    const stk_variable_info       info = stk_variables_at(w->variables, index);
    const stk_safetensors_tensor *t;
    if (!is_model(info.role)) return STK_OK;
    const stk_status st = stk_staging_match(w->file, &info, w->path, &t, err);
    const bool       head = is_in_head(w, info.name);
    if (w->rows && head && t && (!st || differs_in_classes(t, &info)))
        return plan_rows(w, t, &info, index, err);
    if (!st) return stk_staging_add(&w->staging, t, index, err);
    if (!t || !head || !differs_in_classes(t, &info)) return st;
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

/* Whether a tensor of the file has a variable or may be ignored. */
static bool is_accounted(const weights *w, const char *name)
{
    return stk_variables_find(w->variables, name) != SIZE_MAX || stk_checkpoint_is_ours(name) ||
           !strcmp(stk_path_extension(name), "num_batches_tracked") || is_in_list(w, name);
}

static stk_status check_left_over(const weights *w, stk_error *err)
{
    char shape[SHAPE_CAPACITY];
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

/* Only checkpoints list the tensors outside the model. */
static stk_status read_list(weights *w, stk_error *err)
{
    if (!stk_safetensors_text(w->file, STK_CHECKPOINT_VERSION)) return STK_OK;
    STK_TRY(stk_checkpoint_check(w->file, w->path, err));
    const char *text = stk_safetensors_text(w->file, STK_CHECKPOINT_OPTIMIZER);
    return text ? stk_json_parse(&w->optimizer, stk_bytes_text(text), w->path, err) : STK_OK;
}

static stk_status read_rows(weights *w, stk_error *err)
{
    for (size_t i = 0; i < w->tensor_count; i++)
        STK_TRY(stk_safetensors_read(w->file, w->tensors[i].tensor,
                                     w->scratch.data + w->tensors[i].offset, err));
    return STK_OK;
}

/* Rows without a source in the file keep their value. */
static stk_status put_tensor(const weights *w, const head_tensor *t, stk_error *err)
{
    const int64_t there = t->tensor->shape.dim[0];
    const size_t  each = there ? (size_t)t->tensor->bytes / (size_t)there : 0;
    stk_blob      value;
    stk_blob_init(&value, NULL, STK_MEMORY_READ);
    stk_status st = grow(&value, each * (size_t)w->row_count, err);
    if (!st) st = stk_variables_read(w->variables, t->variable, value.data, value.size, err);
    for (int64_t i = 0; !st && i < w->row_count; i++)
        if (w->rows[i] >= 0)
            memcpy(value.data + (size_t)i * each,
                   w->scratch.data + t->offset + (size_t)w->rows[i] * each, each);
    if (!st) st = stk_variables_write(w->variables, t->variable, value.data, value.size, err);
    stk_blob_release(&value);
    return st;
}

static stk_status put_rows(const weights *w, stk_error *err)
{
    for (size_t i = 0; i < w->tensor_count; i++)
        STK_TRY(put_tensor(w, &w->tensors[i], err));
    return STK_OK;
}

static stk_status load(weights *w, stk_error *err)
{
    STK_TRY(read_list(w, err));
    for (size_t i = 0; i < stk_variables_count(w->variables); i++)
        STK_TRY(plan_variable(w, i, err));
    STK_TRY(check_left_over(w, err));
    STK_TRY(stk_staging_read(&w->staging, w->file, err));
    STK_TRY(read_rows(w, err));
    STK_TRY(put_rows(w, err));
    return stk_staging_put(&w->staging, w->variables, err);
}

static stk_status open_and_load(weights *w, const stk_filesystem *fs, bool other_head,
                                stk_error *err)
{
    STK_TRY(stk_safetensors_open(&w->file, fs, w->path, NULL, err));
    stk_staging_init(&w->staging, w->variables);
    stk_blob_init(&w->scratch, NULL, STK_MEMORY_READ);
    if (other_head) find_head(w);
    const stk_status st = load(w, err);
    stk_blob_release(&w->scratch);
    stk_staging_release(&w->staging);
    stk_json_document_free(w->optimizer);
    stk_safetensors_free(w->file);
    return st;
}

stk_status stk_weights_load_rows(const stk_filesystem *fs, const char *path,
                                 stk_variables *variables, const int64_t *rows, int64_t count,
                                 stk_error *err)
{
    weights w = {.path = path, .variables = variables, .rows = rows, .row_count = count};
    return open_and_load(&w, fs, true, err);
}

stk_status stk_weights_load(const stk_filesystem *fs, const char *path, stk_variables *variables,
                            bool allow_other_head, int *left_out, stk_error *err)
{
    weights w = {.path = path, .variables = variables};
    if (left_out) *left_out = 0;
    const stk_status st = open_and_load(&w, fs, allow_other_head, err);
    if (!st && left_out) *left_out = w.left_out;
    return st;
}
