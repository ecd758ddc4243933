/* Any struct with a table, as JSON. */
#include "base/params.h"

#include <stdint.h>
#include <string.h>

static size_t counted(const stk_param *f, const uint8_t *from)
{
    if (!f->counter_bytes) return f->most;
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
static void write_numbers(stk_json_writer *w, const uint64_t *numbers, size_t count)
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
        stk_json_string(w, (const char *)from + f->offset + i * f->room);
    stk_json_array_end(w);
}

static void write_structs(stk_json_writer *w, const stk_param *f, const uint8_t *from)
{
    stk_json_array(w);
    for (size_t i = 0; i < counted(f, from); i++)
        stk_fields_write(w, f->table, from + f->offset + i * f->table->bytes);
    stk_json_array_end(w);
}

static void write_value(stk_json_writer *w, const stk_param *f, const uint8_t *from);

/* A name for each column once, then numbers only: steps come in thousands. */
static void write_rows(stk_json_writer *w, const stk_param *f, const uint8_t *from)
{
    const stk_fields *table = f->table;
    const uint8_t    *items;
    memcpy(&items, from + f->offset, sizeof items);
    stk_json_object(w);
    stk_json_key(w, "keys");
    stk_json_array(w);
    for (size_t c = 0; c < table->count; c++)
        stk_json_string(w, table->list[c].key);
    stk_json_array_end(w);
    stk_json_key(w, "rows");
    stk_json_array(w);
    for (size_t i = 0; i < counted(f, from); i++) {
        stk_json_array(w);
        for (size_t c = 0; c < table->count; c++)
            write_value(w, &table->list[c], items + i * table->bytes);
        stk_json_array_end(w);
    }
    stk_json_array_end(w);
    stk_json_object_end(w);
}

static void write_word(stk_json_writer *w, const stk_param *f, unsigned value)
{
    const char *word = value < f->most ? f->word(value) : NULL;
    if (word)
        stk_json_string(w, word);
    else
        stk_json_null(w);
}

static void write_value(stk_json_writer *w, const stk_param *f, const uint8_t *from)
{
    const void *at = from + f->offset;
    switch (f->kind) {
    case STK_FIELD_TEXT:
        stk_json_string(w, at);
        break;
    case STK_FIELD_NUMBER:
    case STK_FIELD_AMOUNT:
        stk_json_double(w, *(const double *)at);
        break;
    case STK_FIELD_INT:
        stk_json_int(w, *(const int *)at);
        break;
    case STK_FIELD_INT64:
        stk_json_int(w, *(const int64_t *)at);
        break;
    case STK_FIELD_UINT32:
        stk_json_uint(w, *(const uint32_t *)at);
        break;
    case STK_FIELD_UINT64:
        stk_json_uint(w, *(const uint64_t *)at);
        break;
    case STK_FIELD_UINT64S:
        write_numbers(w, at, f->most);
        break;
    case STK_FIELD_BOOL:
        stk_json_bool(w, *(const bool *)at);
        break;
    case STK_FIELD_WORD:
        write_word(w, f, *(const unsigned *)at);
        break;
    case STK_FIELD_LINES:
        write_lines(w, f, from);
        break;
    case STK_FIELD_STRUCT:
        stk_fields_write(w, f->table, at);
        break;
    case STK_FIELD_STRUCTS:
        write_structs(w, f, from);
        break;
    case STK_FIELD_LIST:
        write_rows(w, f, from);
        break;
    }
}

void stk_fields_write(stk_json_writer *w, const stk_fields *table, const void *from)
{
    stk_json_object(w);
    for (size_t i = 0; i < table->count; i++) {
        stk_json_key(w, table->list[i].key);
        write_value(w, &table->list[i], from);
    }
    stk_json_object_end(w);
}
