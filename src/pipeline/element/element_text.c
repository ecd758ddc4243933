/* Elements for people: a line that fits into the caller's capacity. */
#include "base/decimal.h"
#include "base/utf8.h"
#include "pipeline/element/ragged.h"
#include "tensor/half.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stoker/element.h>
#include <stoker/text.h>

enum {
    SHOWN_NUMBERS = 8, /* of a value */
    SHOWN_BYTES = 40,  /* of a byte string */
    NAME_ROOM = 128,
    DIGITS = 6
};

typedef struct writer {
    char  *text;
    size_t capacity, used; /* used is at most capacity - 1: the zero is always there */
    int    left;           /* numbers that the value at hand may still show */
} writer;

/* Whole pieces only: after one that does not fit, nothing follows. */
static void put(writer *w, const char *piece, size_t size)
{
    if (size >= w->capacity - w->used) {
        w->capacity = w->used + 1;
        return;
    }
    memcpy(w->text + w->used, piece, size);
    w->text[w->used += size] = 0;
}

static void say(writer *w, const char *format, ...) STK_PRINTF(2, 3);

static void say(writer *w, const char *format, ...)
{
    char    piece[256];
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    put(w, piece, size < (int)sizeof piece ? (size_t)size : sizeof piece - 1);
}

static void say_character(writer *w, const uint8_t *from, size_t left, size_t *bytes)
{
    const int length = stk_utf8_length(from, left);
    char      form[8];
    *bytes = length ? (size_t)length : 1;
    if (*from == '"' || *from == '\\') {
        form[0] = '\\';
        form[1] = (char)*from;
        put(w, form, 2);
    } else if (length && stk_utf8_is_shown(from, length)) {
        put(w, (const char *)from, *bytes);
    } else {
        for (size_t i = 0; i < *bytes; i++)
            say(w, "\\x%02X", from[i]);
    }
}

static void say_bytes(writer *w, stk_bytes bytes)
{
    size_t at = 0, size;
    put(w, "\"", 1);
    for (; at < bytes.size && at < SHOWN_BYTES; at += size)
        say_character(w, bytes.data + at, bytes.size - at, &size);
    put(w, "\"", 1);
    if (at < bytes.size) say(w, "... (%zu bytes)", bytes.size);
}

static void say_real(writer *w, double number)
{
    char text[STK_DECIMAL_CAPACITY];
    say(w, "%s", stk_decimal_write(number, DIGITS, text));
}

static uint16_t bits_at(const void *data, size_t index)
{
    uint16_t bits;
    memcpy(&bits, (const uint8_t *)data + index * sizeof bits, sizeof bits);
    return bits;
}

static void say_number(writer *w, stk_dtype dtype, const void *data, size_t i)
{
    if (dtype == STK_DTYPE_BYTES)
        say_bytes(w, ((const stk_bytes *)data)[i]);
    else if (dtype == STK_DTYPE_BOOL)
        say(w, ((const uint8_t *)data)[i] ? "true" : "false");
    else if (dtype == STK_DTYPE_U8)
        say(w, "%u", ((const uint8_t *)data)[i]);
    else if (dtype == STK_DTYPE_I8)
        say(w, "%d", ((const int8_t *)data)[i]);
    else if (dtype == STK_DTYPE_I32)
        say(w, "%" PRId32, ((const int32_t *)data)[i]);
    else if (dtype == STK_DTYPE_I64)
        say(w, "%" PRId64, ((const int64_t *)data)[i]);
    else if (dtype == STK_DTYPE_F16)
        say_real(w, (double)stk_float_from_f16(bits_at(data, i)));
    else if (dtype == STK_DTYPE_BF16)
        say_real(w, (double)stk_float_from_bf16(bits_at(data, i)));
    else if (dtype == STK_DTYPE_F32)
        say_real(w, (double)((const float *)data)[i]);
    else if (dtype == STK_DTYPE_F64)
        say_real(w, ((const double *)data)[i]);
    else
        say(w, "?");
}

/* count numbers from first on, each after a blank unless it comes first in brackets. */
static void say_numbers(writer *w, const stk_value *value, int64_t first, int64_t count, bool blank)
{
    for (int64_t i = 0; i < count; i++) {
        if (blank || i) say(w, " ");
        if (w->left-- <= 0) {
            say(w, "...");
            return;
        }
        say_number(w, value->dtype, stk_value_data(value), (size_t)(first + i));
    }
}

static void say_dense(writer *w, const stk_value *value)
{
    char shape[128];
    if (value->shape.rank) say(w, "%s", stk_shape_text(&value->shape, shape, sizeof shape));
    say_numbers(w, value, 0, stk_value_elements(value), true);
}

/* Rows [first, end) of a level, in brackets. */
static void say_rows(writer *w, const stk_value *value, int level, int64_t first, int64_t end)
{
    int64_t        rows, each = 1;
    const int64_t *splits = stk_value_splits(value, level, &rows);
    for (int d = 1; d < value->shape.rank; d++)
        each *= value->shape.dim[d];
    for (int64_t i = first; i < end; i++) {
        if (level == 0 || i > first) say(w, " ");
        if (w->left-- <= 0) {
            say(w, "...");
            return;
        }
        w->left += splits[i + 1] > splits[i]; /* a row costs one where it has nothing in it */
        say(w, "[");
        if (level + 1 < value->levels)
            say_rows(w, value, level + 1, splits[i], splits[i + 1]);
        else
            say_numbers(w, value, splits[i] * each, (splits[i + 1] - splits[i]) * each, false);
        say(w, "]");
    }
}

static void say_sparse(writer *w, const stk_value *value)
{
    char shape[128];
    say(w, "%s, %" PRId64 " given", stk_shape_text(&value->shape, shape, sizeof shape),
        value->count);
    for (int64_t i = 0; i < value->count; i++) {
        const int64_t *place = value->splits_or_indices + i * value->shape.rank;
        if (w->left-- <= 0) {
            say(w, " ...");
            return;
        }
        say(w, " (");
        for (int d = 0; d < value->shape.rank; d++)
            say(w, d ? ",%" PRId64 : "%" PRId64, place[d]);
        say(w, ") ");
        say_number(w, value->dtype, stk_value_data(value), (size_t)i);
    }
}

static void say_value(writer *w, const stk_value *value)
{
    w->left = SHOWN_NUMBERS;
    if (value->kind == STK_VALUE_DATASET) {
        say(w, "dataset");
        return;
    }
    if (value->kind == STK_VALUE_RAGGED) say(w, "ragged ");
    if (value->kind == STK_VALUE_SPARSE) say(w, "sparse ");
    say(w, "%s", stk_dtype_name(value->dtype));
    if (value->kind == STK_VALUE_RAGGED) {
        say(w, ", %" PRId64 " rows:", value->count);
        say_rows(w, value, 0, 0, value->count);
    } else if (value->kind == STK_VALUE_SPARSE) {
        say_sparse(w, value);
    } else {
        say_dense(w, value);
    }
}

static writer writer_over(char *text, int capacity)
{
    if (capacity > 0) *text = 0;
    return (writer){.text = text, .capacity = capacity > 0 ? (size_t)capacity : 0};
}

char *stk_value_text(const stk_value *value, char *text, int capacity)
{
    writer w = writer_over(text, capacity);
    if (w.capacity) say_value(&w, value);
    return text;
}

char *stk_element_text(const stk_element *element, const stk_element_spec *spec, char *text,
                       int capacity)
{
    writer     w = writer_over(text, capacity);
    const bool named = spec && spec->known && spec->count == stk_element_count(element);
    for (size_t i = 0; w.capacity && i < stk_element_count(element); i++) {
        char        name[NAME_ROOM];
        const char *given = named ? spec->values[i].name : NULL;
        if (given)
            stk_text_escape(name, sizeof name, given);
        else
            snprintf(name, sizeof name, "%zu", i);
        say(&w, "%s%s: ", i ? ", " : "", name);
        say_value(&w, stk_element_value(element, i));
    }
    return text;
}
