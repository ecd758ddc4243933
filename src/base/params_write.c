/* Any struct with a table, as JSON. */
#include "base/params_internal.h"

#include <string.h>

static size_t counted(const stk_param *f, const uint8_t *from)
{
    if (!f->counter_bytes) return f->count;
    if (f->counter_bytes == sizeof(size_t)) {
        size_t count;
        memcpy(&count, from + f->counter, sizeof count);
        return count;
    }
    int count;
    memcpy(&count, from + f->counter, sizeof count);
    return count > 0 ? (size_t)count : 0;
}

/* Arrays of numbers have a form of their own in rows, too: one array. */
static void write_counts(stk_json_writer *w, const uint64_t *numbers, size_t count)
{
    stk_json_array(w);
    for (size_t i = 0; i < count; i++)
        stk_json_uint(w, numbers[i]);
    stk_json_array_end(w);
}

static void write_lines(stk_json_writer *w, const stk_param *f, const uint8_t *from)
{
    stk_json_array(w);
    for (size_t i = 0; i < counted(f, from); i++)
        stk_json_string(w, (const char *)from + f->offset + i * f->size);
    stk_json_array_end(w);
}

static void write_structs(stk_json_writer *w, const stk_param *f, const uint8_t *from)
{
    stk_json_array(w);
    for (size_t i = 0; i < counted(f, from); i++)
        stk_params_write_json(w, f->table, from + f->offset + i * f->table->bytes);
    stk_json_array_end(w);
}

static void write_value(stk_json_writer *w, const stk_param *f, const uint8_t *from);

/* A name for each column once, then numbers only: steps come in thousands. */
static void write_rows(stk_json_writer *w, const stk_param *f, const uint8_t *from)
{
    const stk_params *table = f->table;
    const uint8_t    *items;
    memcpy(&items, from + f->offset, sizeof items);
    stk_json_object(w);
    stk_json_key(w, "keys");
    stk_json_array(w);
    for (size_t c = 0; c < table->count; c++)
        stk_json_string(w, table->rows[c].name);
    stk_json_array_end(w);
    stk_json_key(w, "rows");
    stk_json_array(w);
    for (size_t i = 0; i < counted(f, from); i++) {
        stk_json_array(w);
        for (size_t c = 0; c < table->count; c++)
            write_value(w, &table->rows[c], items + i * table->bytes);
        stk_json_array_end(w);
    }
    stk_json_array_end(w);
    stk_json_object_end(w);
}

static void write_word(stk_json_writer *w, const stk_param *f, int value)
{
    const char *word = stk_param_word_of(f, value);
    if (word)
        stk_json_string(w, word);
    else
        stk_json_null(w);
}

static void write_numbers(stk_json_writer *w, const double *numbers, size_t count)
{
    stk_json_array(w);
    for (size_t i = 0; i < count; i++)
        stk_json_double(w, numbers[i]);
    stk_json_array_end(w);
}

static void write_custom(stk_json_writer *w, const stk_param *f, const void *from)
{
    char text[STK_PARAM_VALUE];
    f->print(from, text, sizeof text);
    stk_json_string(w, text);
}

static void write_value(stk_json_writer *w, const stk_param *f, const uint8_t *from)
{
    const void *at = from + f->offset;
    switch (f->kind) {
    case STK_PARAM_BOOL:
        stk_json_bool(w, *(const bool *)at);
        break;
    case STK_PARAM_INT32:
        stk_json_int(w, *(const int32_t *)at);
        break;
    case STK_PARAM_INT64:
        stk_json_int(w, *(const int64_t *)at);
        break;
    case STK_PARAM_UINT32:
        stk_json_uint(w, *(const uint32_t *)at);
        break;
    case STK_PARAM_UINT64:
        stk_json_uint(w, *(const uint64_t *)at);
        break;
    case STK_PARAM_FLOAT:
        stk_json_double(w, (double)*(const float *)at);
        break;
    case STK_PARAM_DOUBLE:
        stk_json_double(w, *(const double *)at);
        break;
    case STK_PARAM_NUMBERS:
        write_numbers(w, at, f->count);
        break;
    case STK_PARAM_TEXT:
        stk_json_string(w, at);
        break;
    case STK_PARAM_STRING:
    case STK_PARAM_CHOICE:
        stk_json_string(w, *(const char *const *)at ? *(const char *const *)at : "");
        break;
    case STK_PARAM_ENUM:
        write_word(w, f, *(const int *)at);
        break;
    case STK_PARAM_CUSTOM:
        write_custom(w, f, from);
        break;
    case STK_PARAM_COUNTS:
        write_counts(w, at, f->count);
        break;
    case STK_PARAM_LINES:
        write_lines(w, f, from);
        break;
    case STK_PARAM_STRUCT:
        stk_params_write_json(w, f->table, at);
        break;
    case STK_PARAM_STRUCTS:
        write_structs(w, f, from);
        break;
    case STK_PARAM_ROWS:
        write_rows(w, f, from);
        break;
    }
}

void stk_params_write_json(stk_json_writer *w, const stk_params *table, const void *from)
{
    stk_json_object(w);
    for (size_t i = 0; i < table->count; i++) {
        stk_json_key(w, table->rows[i].name);
        write_value(w, &table->rows[i], from);
    }
    stk_json_object_end(w);
}
