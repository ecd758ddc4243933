/* Lists of class names: text lines, and JSON for a weights file's metadata. */
#include "train/saved/class_list.h"
#include <stdio.h>
#include <stdlib.h>
#include <stoker/json.h>
#include <string.h>

enum { MOST_BYTES = 1 << 26 };

const char *stk_class_list_name(const stk_train_data *data, int64_t index,
                                char scratch[STK_CLASS_LIST_CAPACITY])
{
    if (data && data->class_names && index < data->classes) return data->class_names[index];
    snprintf(scratch, STK_CLASS_LIST_CAPACITY, "class %lld", (long long)index);
    return scratch;
}

static stk_status begin(stk_class_list *out, size_t capacity, stk_error *err)
{
    *out = (stk_class_list){.names = calloc(capacity + 1, sizeof *out->names)};
    return out->names ? STK_OK : stk_fail(err, STK_E_NOMEM, "classes", NULL, "no memory for names");
}

static stk_status add(stk_class_list *out, const char *name, size_t length, stk_error *err)
{
    char *copy = strndup(name, length);
    if (!copy) return stk_fail(err, STK_E_NOMEM, "classes", NULL, "no memory for names");
    out->names[out->count++] = copy;
    return STK_OK;
}

static stk_status end(stk_class_list *out, stk_status st)
{
    if (st) stk_class_list_release(out);
    return st;
}

/* The last line may lack its newline; an empty last line is no class. */
static stk_status split_lines(stk_class_list *out, stk_bytes text, stk_error *err)
{
    const char *at = (const char *)text.data, *stop = at + text.size;
    while (at < stop) {
        const char *line = memchr(at, '\n', (size_t)(stop - at));
        size_t      length = (size_t)((line ? line : stop) - at);
        const bool  returns = length && at[length - 1] == '\r';
        if (length || line) STK_TRY(add(out, at, length - returns, err));
        at += length + 1;
    }
    return STK_OK;
}

stk_status stk_class_list_read(stk_class_list *out, const char *path, stk_error *err)
{
    stk_blob text;
    size_t   lines = 1;
    *out = (stk_class_list){0};
    stk_blob_init(&text, NULL, STK_MEMORY_INDEX);
    stk_status st = stk_file_read_all(NULL, path, 0, MOST_BYTES, &text, err);
    for (size_t i = 0; !st && i < text.size; i++)
        lines += text.data[i] == '\n';
    if (!st) st = begin(out, lines, err);
    if (!st) st = split_lines(out, stk_blob_bytes(&text), err);
    stk_blob_release(&text);
    return end(out, st);
}

static stk_status copy_array(stk_class_list *out, const stk_json_value *list, const char *path,
                             stk_error *err)
{
    STK_TRY(begin(out, stk_json_count(list), err));
    for (size_t i = 0; i < stk_json_count(list); i++) {
        const char *name = stk_json_text(stk_json_at(list, i), NULL);
        if (!name)
            return stk_fail(err, STK_E_FORMAT, "classes", path, "the name of class %zu is no text",
                            i);
        STK_TRY(add(out, name, strlen(name), err));
    }
    return STK_OK;
}

stk_status stk_class_list_parse(stk_class_list *out, const char *json, const char *path,
                                stk_error *err)
{
    stk_json_document *document;
    *out = (stk_class_list){0};
    STK_TRY(stk_json_parse(&document, stk_bytes_text(json), path, err));
    const stk_json_value *list = stk_json_root(document);
    const stk_status      st =
        stk_json_type_of(list) == STK_JSON_ARRAY
                 ? copy_array(out, list, path, err)
                 : stk_fail(err, STK_E_FORMAT, "classes", path, "the list of classes is no array");
    stk_json_document_free(document);
    return end(out, st);
}

stk_status stk_class_list_number(stk_class_list *out, int64_t count, stk_error *err)
{
    char       scratch[STK_CLASS_LIST_CAPACITY];
    stk_status st = begin(out, (size_t)count, err);
    for (int64_t i = 0; !st && i < count; i++) {
        const char *name = stk_class_list_name(NULL, i, scratch);
        st = add(out, name, strlen(name), err);
    }
    return end(out, st);
}

stk_status stk_class_list_print(const stk_train_data *data, int64_t classes, stk_blob *out,
                                stk_error *err)
{
    stk_json_writer json;
    char            scratch[STK_CLASS_LIST_CAPACITY];
    stk_json_begin(&json, out, 0);
    stk_json_array(&json);
    for (int64_t i = 0; i < classes; i++)
        stk_json_string(&json, stk_class_list_name(data, i, scratch));
    stk_json_array_end(&json);
    STK_TRY(stk_json_end(&json, err));
    return stk_blob_append(out, "", 1, err);
}

void stk_class_list_release(stk_class_list *list)
{
    for (int64_t i = 0; i < list->count; i++)
        free(list->names[i]);
    free(list->names);
    *list = (stk_class_list){0};
}
