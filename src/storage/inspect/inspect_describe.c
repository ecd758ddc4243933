/* Records as text: long lists are cut, images are named, what is not printable is escaped. */
#include "storage/inspect/inspect_describe.h"

#include "base/utf8.h"
#include "storage/record/content_name.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHOWN_VALUES = 8,
    SHOWN_TEXT = 60, /* bytes of a text */
    WIDEST_NAME = 32,
    LINES_MAX = 100 /* values of one record; the rest is counted */
};

STK_PRINTF(3, 4)
static stk_status write(stk_blob *text, stk_error *err, const char *format, ...)
{
    char    piece[160];
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(piece, sizeof piece, format, args);
    va_end(args);
    const size_t fits = sizeof piece - 1;
    return stk_blob_append(text, piece, (size_t)length < fits ? (size_t)length : fits, err);
}

/* Appends a character as it is when it can be printed, else its first byte as \xNN; gives the bytes
 * that it stands for. */
static stk_status write_character(stk_blob *text, const uint8_t *data, size_t size, size_t *used,
                                  stk_error *err)
{
    *used = (size_t)stk_utf8_length(data, size);
    if (*used && data[0] >= 0x20 && data[0] != 0x7F) return stk_blob_append(text, data, *used, err);
    *used = 1;
    return write(text, err, "\\x%02x", data[0]);
}

static stk_status write_text(stk_blob *text, stk_bytes bytes, stk_error *err)
{
    size_t done = 0;
    STK_TRY(write(text, err, "\""));
    while (done < bytes.size && done < SHOWN_TEXT) {
        size_t used;
        STK_TRY(write_character(text, bytes.data + done, bytes.size - done, &used, err));
        done += used;
    }
    if (done < bytes.size) return write(text, err, "...\" (%zu bytes)", bytes.size);
    return write(text, err, "\"");
}

static stk_status write_bytes(stk_blob *text, stk_bytes bytes, stk_error *err)
{
    const char *content = bytes.size ? stk_content_name(bytes) : "text";
    if (!strcmp(content, "text")) return write_text(text, bytes, err);
    return write(text, err, "<%s%s%zu bytes>", content, content[0] ? ", " : "", bytes.size);
}

static stk_status write_element(stk_blob *text, stk_dtype dtype, const void *data, size_t i,
                                stk_error *err)
{
    switch (dtype) {
    case STK_DTYPE_I64:
        return write(text, err, "%" PRId64, ((const int64_t *)data)[i]);
    case STK_DTYPE_I32:
        return write(text, err, "%" PRId32, ((const int32_t *)data)[i]);
    case STK_DTYPE_I8:
        return write(text, err, "%d", ((const int8_t *)data)[i]);
    case STK_DTYPE_U8:
    case STK_DTYPE_BOOL:
        return write(text, err, "%u", ((const uint8_t *)data)[i]);
    case STK_DTYPE_F32:
        return write(text, err, "%.6g", (double)((const float *)data)[i]);
    case STK_DTYPE_F64:
        return write(text, err, "%.6g", ((const double *)data)[i]);
    case STK_DTYPE_BYTES:
        return write_bytes(text, ((const stk_bytes *)data)[i], err);
    default:
        return write(text, err, "?");
    }
}

/* "int64 3", "float32[4] 0.1, 0.2, 0.3, 0.4", "uint8[28,28,1] 0, 0, 1, ..." */
static stk_status write_value(stk_blob *text, stk_inspect_values *values,
                              const stk_inspect_value *value, stk_error *err)
{
    const stk_feature_view *view = &value->view;
    const void             *data;
    size_t                  count;
    char                    shape[64] = "";
    if (view->dtype == STK_DTYPE_NONE) return write(text, err, "(no value)");
    if (value->shape && value->shape->rank)
        stk_shape_text(value->shape, shape, sizeof shape);
    else if (view->count != 1)
        snprintf(shape, sizeof shape, "[%zu]", view->count);
    STK_TRY(write(text, err, "%s%s", stk_dtype_name(view->dtype), shape));
    STK_TRY(stk_inspect_decode(values, value, SHOWN_VALUES, &data, &count, err));
    for (size_t i = 0; i < count; i++) {
        STK_TRY(write(text, err, i ? ", " : " "));
        STK_TRY(write_element(text, view->dtype, data, i, err));
    }
    return count < view->count ? write(text, err, ", ...") : STK_OK;
}

/* The steps of one feature list follow each other; they make one line. */
static size_t count_steps(const stk_inspect_values *values, size_t index)
{
    const stk_bytes name = stk_inspect_values_at(values, index)->view.name;
    size_t          end = index + 1;
    while (end < stk_inspect_values_count(values) && stk_inspect_values_at(values, end)->step > 0 &&
           stk_bytes_equal(stk_inspect_values_at(values, end)->view.name, name))
        end++;
    return end - index;
}

static int name_width(const stk_inspect_values *values)
{
    size_t widest = 0;
    for (size_t i = 0; i < stk_inspect_values_count(values); i++) {
        const size_t size = stk_inspect_values_at(values, i)->view.name.size;
        if (size > widest) widest = size;
    }
    return (int)(widest < WIDEST_NAME ? widest : WIDEST_NAME);
}

static stk_status write_name(stk_blob *text, stk_bytes name, int width, stk_error *err)
{
    const size_t before = text->size;
    STK_TRY(write(text, err, "  "));
    size_t done = 0;
    while (done < name.size && (done < WIDEST_NAME - 3 || name.size <= WIDEST_NAME)) {
        size_t length;
        STK_TRY(write_character(text, name.data + done, name.size - done, &length, err));
        done += length;
    }
    if (done < name.size) STK_TRY(write(text, err, "..."));
    const int used = (int)(text->size - before) - 2;
    return write(text, err, "%*s", (used < width ? width - used : 0) + 2, "");
}

static stk_status write_line(stk_blob *text, stk_inspect_values *values, size_t *index, int width,
                             stk_error *err)
{
    const stk_inspect_value *value = stk_inspect_values_at(values, *index);
    STK_TRY(write(text, err, "\n"));
    STK_TRY(write_name(text, value->view.name, width, err));
    if (value->step == STK_STEP_NONE) {
        ++*index;
        return write_value(text, values, value, err);
    }
    if (value->step == STK_STEP_EMPTY) {
        ++*index;
        return write(text, err, "0 steps");
    }
    const size_t steps = count_steps(values, *index);
    *index += steps;
    STK_TRY(write(text, err, "%zu step%s, the first: ", steps, steps == 1 ? "" : "s"));
    return write_value(text, values, value, err);
}

static stk_status write_all(stk_blob *text, const char *title, stk_inspect_values *values,
                            stk_error *err)
{
    const size_t count = stk_inspect_values_count(values);
    const int    width = name_width(values);
    size_t       index = 0;
    STK_TRY(stk_blob_append(text, title, strlen(title), err));
    for (int lines = 0; index < count && lines < LINES_MAX; lines++)
        STK_TRY(write_line(text, values, &index, width, err));
    if (index < count) STK_TRY(write(text, err, "\n  ... and %zu more", count - index));
    return stk_blob_append(text, "", 1, err);
}

stk_status stk_inspect_describe(char **out, const char *title, stk_inspect_values *values,
                                stk_error *err)
{
    stk_blob text;
    *out = NULL;
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    const stk_status st = write_all(&text, title, values, err);
    if (st) {
        stk_blob_release(&text);
        return st;
    }
    *out = (char *)text.data; /* a blob without ledger is plain memory of malloc */
    return STK_OK;
}
