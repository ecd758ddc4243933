/* Any struct with a table, from JSON that is not trusted. */
#include "base/params_internal.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHERE_ROOM = 200, NO_INDEX = -1, COLUMNS_MOST = 256 };

/* Where the reader is, as a chain down from the root: it is spelt out for errors only. */
typedef struct place {
    const struct place *up;
    const char         *key;
    int64_t             index;
    const char         *component;
    stk_error          *err;
} place;

static void spell(const place *p, char *text, size_t capacity)
{
    text[0] = 0;
    if (p->up) spell(p->up, text, capacity);
    const size_t used = strlen(text);
    if (p->index != NO_INDEX)
        snprintf(text + used, capacity - used, "%s%s[%lld]", used ? "." : "", p->key,
                 (long long)p->index);
    else
        snprintf(text + used, capacity - used, "%s%s", used ? "." : "", p->key);
}

static stk_status wrong(const place *p, const char *wanted)
{
    char where[WHERE_ROOM];
    spell(p, where, sizeof where);
    return stk_fail(p->err, STK_E_INVALID, p->component, where, "expected %s", wanted);
}

static place below(const place *up, const char *key, int64_t index)
{
    return (place){up, key, index, up->component, up->err};
}

static stk_status read_text(const stk_param *f, const stk_json_value *v, char *to, const place *p)
{
    const char *text = stk_json_text(v, NULL);
    if (!text || strlen(text) >= f->size) return wrong(p, "a text that is not too long");
    memcpy(to, text, strlen(text) + 1);
    return STK_OK;
}

static stk_status read_double(const stk_param *f, const stk_json_value *v, double *to,
                              const place *p)
{
    double       min, max;
    const bool   null = stk_json_type_of(v) == STK_JSON_NULL;
    const double number = null ? f->flags & STK_PARAM_ABSENT ? -1 : 0 : stk_json_number(v, NAN);
    stk_param_bounds(f, &min, &max);
    if (!isfinite(number)) return wrong(p, "a number");
    if (min == 0 && number < 0) return wrong(p, "a number that is not negative");
    if (number < min || number > max) return wrong(p, "a number in its range");
    *to = number;
    return STK_OK;
}

static stk_status read_numbers(const stk_param *f, const stk_json_value *v, double *to,
                               const place *p)
{
    double numbers[STK_PARAM_NUMBERS_MOST];
    if (stk_json_type_of(v) != STK_JSON_ARRAY || stk_json_count(v) != f->count ||
        f->count > STK_PARAM_NUMBERS_MOST)
        return wrong(p, "an array of as many numbers as it has");
    for (size_t i = 0; i < f->count; i++) {
        const place here = {p->up, p->key, (int64_t)i, p->component, p->err};
        STK_TRY(read_double(f, stk_json_at(v, i), &numbers[i], &here));
    }
    memcpy(to, numbers, f->count * sizeof *numbers);
    return STK_OK;
}

/* Whole numbers may come as 1e9 from other tools. */
static stk_status read_whole(const stk_json_value *v, int64_t least, int64_t most, int64_t *to,
                             const place *p)
{
    const double number = stk_json_number(v, NAN);
    if (stk_json_type_of(v) != STK_JSON_NUMBER || !(number >= (double)least) ||
        !(number <= (double)most))
        return wrong(p, least < 0 ? "a whole number" : "a whole number that is not negative");
    const int64_t rounded = number < 9e18 && number > -9e18 ? (int64_t)number : most;
    *to = stk_json_integer(v, rounded);
    return *to < least || *to > most ? wrong(p, "a whole number that fits") : STK_OK;
}

static stk_status read_counts(const stk_param *f, const stk_json_value *v, uint64_t *to,
                              const place *p)
{
    if (stk_json_type_of(v) != STK_JSON_ARRAY || stk_json_count(v) != f->count)
        return wrong(p, "as many whole numbers as it has");
    for (size_t i = 0; i < f->count; i++) {
        const place here = {p->up, p->key, (int64_t)i, p->component, p->err};
        int64_t     number = 0;
        STK_TRY(read_whole(stk_json_at(v, i), 0, INT64_MAX, &number, &here));
        to[i] = (uint64_t)number;
    }
    return STK_OK;
}

/* What is a text in JSON, too, as text is read: by its row. */
static stk_status read_spelled(const stk_param *f, const stk_json_value *v, void *to,
                               const place *p)
{
    static const stk_params_source json = {.component = "json"};
    const char                    *text = stk_json_text(v, NULL);
    const stk_params               one = {.rows = f, .count = 1};
    const stk_param_call           call = {&one, f, f->name, text, &json};
    if (text && !stk_param_read(&call, to, NULL)) return STK_OK;
    return wrong(p, f->kind == STK_PARAM_CUSTOM ? f->usage : "one of the names that are known");
}

static void set_counter(const stk_param *f, uint8_t *to, size_t count)
{
    const int small = (int)count;
    if (f->counter_bytes == sizeof count)
        memcpy(to + f->counter, &count, sizeof count);
    else if (f->counter_bytes)
        memcpy(to + f->counter, &small, sizeof small);
}

static stk_status read_object(const stk_json_value *object, const stk_params *table, uint8_t *to,
                              const place *p);

static stk_status read_structs(const stk_param *f, const stk_json_value *v, uint8_t *to,
                               const place *p)
{
    const size_t count = stk_json_count(v);
    if (stk_json_type_of(v) != STK_JSON_ARRAY) return wrong(p, "an array");
    if (count > f->count) return wrong(p, "fewer entries");
    for (size_t i = 0; i < count; i++) {
        const place here = {p->up, p->key, (int64_t)i, p->component, p->err};
        STK_TRY(
            read_object(stk_json_at(v, i), f->table, to + f->offset + i * f->table->bytes, &here));
    }
    set_counter(f, to, count);
    return STK_OK;
}

static stk_status read_value(const stk_param *f, const stk_json_value *v, uint8_t *to,
                             const place *p);

static void set_absent(const stk_param *f, uint8_t *to)
{
    if (f->flags & STK_PARAM_ABSENT) memcpy(to + f->offset, &(double){-1}, sizeof(double));
}

static stk_status read_row(const stk_json_value *keys, const stk_json_value *row,
                           const stk_params *table, uint8_t *to, const place *p)
{
    if (stk_json_type_of(row) != STK_JSON_ARRAY || stk_json_count(row) != stk_json_count(keys))
        return wrong(p, "as many values as there are keys");
    for (size_t i = 0; i < table->count; i++) {
        const stk_param *f = &table->rows[i];
        set_absent(f, to);
        for (size_t c = 0; c < stk_json_count(keys); c++) {
            const place here = below(p, f->name, NO_INDEX);
            const char *key = stk_json_text(stk_json_at(keys, c), "");
            if (strcmp(key, f->name) == 0 || (f->renamed_from && !strcmp(key, f->renamed_from)))
                STK_TRY(read_value(f, stk_json_at(row, c), to, &here));
        }
    }
    return STK_OK;
}

static stk_status read_list(const stk_param *f, const stk_json_value *v, uint8_t *to,
                            const place *p)
{
    const stk_json_value *keys = stk_json_get(v, "keys"), *rows = stk_json_get(v, "rows");
    const size_t          count = stk_json_count(rows);
    const place           in_rows = below(p, "rows", NO_INDEX);
    uint8_t              *items;
    if (stk_json_type_of(keys) != STK_JSON_ARRAY || stk_json_type_of(rows) != STK_JSON_ARRAY)
        return wrong(p, "an object with keys and rows");
    if (count > f->count || stk_json_count(keys) > COLUMNS_MOST)
        return wrong(&in_rows, "fewer rows and keys");
    memcpy(&items, to + f->offset, sizeof items);
    free(items);
    items = count ? calloc(count, f->table->bytes) : NULL;
    memcpy(to + f->offset, &items, sizeof items);
    set_counter(f, to, items ? count : 0);
    if (count && !items)
        return stk_fail(p->err, STK_E_NOMEM, p->component, f->name, "no memory for %zu rows",
                        count);
    for (size_t i = 0; i < count; i++) {
        const place here = {in_rows.up, in_rows.key, (int64_t)i, p->component, p->err};
        STK_TRY(read_row(keys, stk_json_at(rows, i), f->table, items + i * f->table->bytes, &here));
    }
    return STK_OK;
}

static stk_status read_bool(const stk_json_value *v, bool *to, const place *p)
{
    if (stk_json_type_of(v) != STK_JSON_BOOL) return wrong(p, "true or false");
    *to = stk_json_truth(v, false);
    return STK_OK;
}

static stk_status read_integer(const stk_param *f, const stk_json_value *v, void *to,
                               const place *p)
{
    double  min, max;
    int64_t number = 0;
    stk_param_bounds(f, &min, &max);
    STK_TRY(read_whole(v, min <= -0x1p63 ? INT64_MIN : (int64_t)min,
                       max >= 0x1p63 ? INT64_MAX : (int64_t)max, &number, p));
    if (f->kind == STK_PARAM_INT32)
        *(int32_t *)to = (int32_t)number;
    else if (f->kind == STK_PARAM_UINT32)
        *(uint32_t *)to = (uint32_t)number;
    else
        memcpy(to, &number, sizeof number);
    return STK_OK;
}

static stk_status read_float(const stk_param *f, const stk_json_value *v, float *to, const place *p)
{
    double number;
    STK_TRY(read_double(f, v, &number, p));
    if (fabs(number) > (double)FLT_MAX) return wrong(p, "a number of 32 bits");
    *to = (float)number;
    return STK_OK;
}

static stk_status read_value(const stk_param *f, const stk_json_value *v, uint8_t *to,
                             const place *p)
{
    void *at = to + f->offset;
    switch (f->kind) {
    case STK_PARAM_BOOL:
        return read_bool(v, at, p);
    case STK_PARAM_INT32:
    case STK_PARAM_INT64:
    case STK_PARAM_UINT32:
    case STK_PARAM_UINT64:
        return read_integer(f, v, at, p);
    case STK_PARAM_FLOAT:
        return read_float(f, v, at, p);
    case STK_PARAM_DOUBLE:
        return read_double(f, v, at, p);
    case STK_PARAM_NUMBERS:
        return read_numbers(f, v, at, p);
    case STK_PARAM_TEXT:
        return read_text(f, v, at, p);
    case STK_PARAM_CHOICE:
    case STK_PARAM_ENUM:
    case STK_PARAM_CUSTOM:
        return read_spelled(f, v, to, p);
    case STK_PARAM_COUNTS:
        return read_counts(f, v, at, p);
    case STK_PARAM_STRUCT:
        return read_object(v, f->table, at, p);
    case STK_PARAM_STRUCTS:
        return read_structs(f, v, to, p);
    case STK_PARAM_ROWS:
        return read_list(f, v, to, p);
    case STK_PARAM_STRING: /* of results only, as nothing owns it */
    case STK_PARAM_LINES:
        break;
    }
    return STK_OK;
}

static stk_status read_object(const stk_json_value *object, const stk_params *table, uint8_t *to,
                              const place *p)
{
    if (stk_json_type_of(object) != STK_JSON_OBJECT) return wrong(p, "an object");
    for (size_t i = 0; i < table->count; i++) {
        const stk_param      *f = &table->rows[i];
        const stk_json_value *v = stk_json_get(object, f->name);
        if (!v && f->renamed_from) v = stk_json_get(object, f->renamed_from);
        const place here = below(p, f->name, NO_INDEX);
        if (v)
            STK_TRY(read_value(f, v, to, &here));
        else
            set_absent(f, to);
    }
    return STK_OK;
}

stk_status stk_params_read_json(const stk_json_value *object, const stk_params *table, void *to,
                                const char *component, stk_error *err)
{
    const place root = {NULL, "", NO_INDEX, component, err};
    return read_object(object, table, to, &root);
}
