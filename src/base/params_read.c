/* Any struct with a table, from JSON that nobody vouches for. */
#include "base/params.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHERE_ROOM = 200, NO_INDEX = -1 };

/* Where the reader is, as a chain down from the root: it is spelt out for errors only. */
typedef struct place {
    const struct place *up;
    const char         *key;
    int64_t             index;
    const char         *stage;
    stk_error          *err;
} place;

static void spell(const place *p, char *text, size_t room)
{
    text[0] = 0;
    if (p->up) spell(p->up, text, room);
    const size_t used = strlen(text);
    if (p->index != NO_INDEX)
        snprintf(text + used, room - used, "%s%s[%lld]", used ? "." : "", p->key,
                 (long long)p->index);
    else
        snprintf(text + used, room - used, "%s%s", used ? "." : "", p->key);
}

static stk_status wrong(const place *p, const char *wanted)
{
    char where[WHERE_ROOM];
    spell(p, where, sizeof where);
    return stk_fail(p->err, STK_E_INVALID, p->stage, where, "expected %s", wanted);
}

static place below(const place *up, const char *key, int64_t index)
{
    return (place){up, key, index, up->stage, up->err};
}

static stk_status read_text(const stk_param *f, const stk_json_value *v, char *to, const place *p)
{
    const char *text = stk_json_text(v, NULL);
    if (!text || strlen(text) >= f->most) return wrong(p, "a text that is not too long");
    memcpy(to, text, strlen(text) + 1);
    return STK_OK;
}

static stk_status read_double(const stk_param *f, const stk_json_value *v, double *to,
                              const place *p)
{
    const bool   null = stk_json_type_of(v) == STK_JSON_NULL;
    const double number = null ? f->kind == STK_FIELD_NUMBER ? -1 : 0 : stk_json_number(v, NAN);
    if (!isfinite(number)) return wrong(p, "a number");
    if (f->kind == STK_FIELD_AMOUNT && number < 0) return wrong(p, "a number that is not negative");
    *to = number;
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

static stk_status read_numbers(const stk_param *f, const stk_json_value *v, uint64_t *to,
                               const place *p)
{
    if (stk_json_type_of(v) != STK_JSON_ARRAY || stk_json_count(v) != f->most)
        return wrong(p, "one number for each stage, the loop first");
    for (size_t i = 0; i < f->most; i++) {
        const place here = {p->up, p->key, (int64_t)i, p->stage, p->err};
        int64_t     number = 0;
        STK_TRY(read_whole(stk_json_at(v, i), 0, INT64_MAX, &number, &here));
        to[i] = (uint64_t)number;
    }
    return STK_OK;
}

static stk_status read_word(const stk_param *f, const stk_json_value *v, unsigned *to,
                            const place *p)
{
    const char *text = stk_json_text(v, "");
    for (unsigned i = 0; i < f->most; i++)
        if (f->word(i) && strcmp(f->word(i), text) == 0) {
            *to = i;
            return STK_OK;
        }
    return wrong(p, "one of the names that are known");
}

static void set_counter(const stk_param *f, uint8_t *to, size_t count)
{
    const int small = (int)count;
    if (f->counter_bytes == sizeof count)
        memcpy(to + f->counter, &count, sizeof count);
    else if (f->counter_bytes)
        memcpy(to + f->counter, &small, sizeof small);
}

static stk_status read_object(const stk_json_value *object, const stk_fields *table, uint8_t *to,
                              const place *p);

static stk_status read_structs(const stk_param *f, const stk_json_value *v, uint8_t *to,
                               const place *p)
{
    const size_t count = stk_json_count(v);
    if (stk_json_type_of(v) != STK_JSON_ARRAY) return wrong(p, "an array");
    if (count > f->most) return wrong(p, "fewer entries");
    for (size_t i = 0; i < count; i++) {
        const place here = {p->up, p->key, (int64_t)i, p->stage, p->err};
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
    if (f->kind == STK_FIELD_NUMBER) memcpy(to + f->offset, &(double){-1}, sizeof(double));
}

static stk_status read_row(const stk_json_value *keys, const stk_json_value *row,
                           const stk_fields *table, uint8_t *to, const place *p)
{
    if (stk_json_type_of(row) != STK_JSON_ARRAY || stk_json_count(row) != stk_json_count(keys))
        return wrong(p, "as many values as there are keys");
    for (size_t i = 0; i < table->count; i++) {
        const stk_param *f = &table->list[i];
        set_absent(f, to);
        for (size_t c = 0; c < stk_json_count(keys); c++) {
            const place here = below(p, f->key, NO_INDEX);
            if (strcmp(stk_json_text(stk_json_at(keys, c), ""), f->key) == 0)
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
    if (count > f->most || stk_json_count(keys) > STK_FIELDS_COLUMNS)
        return wrong(&in_rows, "fewer rows and keys");
    memcpy(&items, to + f->offset, sizeof items);
    free(items);
    items = count ? calloc(count, f->table->bytes) : NULL;
    memcpy(to + f->offset, &items, sizeof items);
    set_counter(f, to, items ? count : 0);
    if (count && !items)
        return stk_fail(p->err, STK_E_NOMEM, p->stage, f->key, "no memory for %zu rows", count);
    for (size_t i = 0; i < count; i++) {
        const place here = {in_rows.up, in_rows.key, (int64_t)i, p->stage, p->err};
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
    static const struct {
        int64_t least, most;
    } ranges[] = {[STK_FIELD_INT] = {INT_MIN, INT_MAX},
                  [STK_FIELD_INT64] = {INT64_MIN, INT64_MAX},
                  [STK_FIELD_UINT32] = {0, UINT32_MAX},
                  [STK_FIELD_UINT64] = {0, INT64_MAX}};
    int64_t number = 0;
    STK_TRY(read_whole(v, ranges[f->kind].least, ranges[f->kind].most, &number, p));
    if (f->kind == STK_FIELD_INT)
        *(int *)to = (int)number;
    else if (f->kind == STK_FIELD_UINT32)
        *(uint32_t *)to = (uint32_t)number;
    else
        memcpy(to, &number, sizeof number);
    return STK_OK;
}

static stk_status read_value(const stk_param *f, const stk_json_value *v, uint8_t *to,
                             const place *p)
{
    void *at = to + f->offset;
    switch (f->kind) {
    case STK_FIELD_TEXT:
        return read_text(f, v, at, p);
    case STK_FIELD_NUMBER:
    case STK_FIELD_AMOUNT:
        return read_double(f, v, at, p);
    case STK_FIELD_INT:
    case STK_FIELD_INT64:
    case STK_FIELD_UINT32:
    case STK_FIELD_UINT64:
        return read_integer(f, v, at, p);
    case STK_FIELD_UINT64S:
        return read_numbers(f, v, at, p);
    case STK_FIELD_BOOL:
        return read_bool(v, at, p);
    case STK_FIELD_WORD:
        return read_word(f, v, at, p);
    case STK_FIELD_STRUCT:
        return read_object(v, f->table, at, p);
    case STK_FIELD_STRUCTS:
        return read_structs(f, v, to, p);
    case STK_FIELD_LIST:
        return read_list(f, v, to, p);
    case STK_FIELD_LINES: /* of results only */
        break;
    }
    return STK_OK;
}

static stk_status read_object(const stk_json_value *object, const stk_fields *table, uint8_t *to,
                              const place *p)
{
    if (stk_json_type_of(object) != STK_JSON_OBJECT) return wrong(p, "an object");
    for (size_t i = 0; i < table->count; i++) {
        const stk_param      *f = &table->list[i];
        const stk_json_value *v = stk_json_get(object, f->key);
        const place           here = below(p, f->key, NO_INDEX);
        if (v)
            STK_TRY(read_value(f, v, to, &here));
        else
            set_absent(f, to);
    }
    return STK_OK;
}

stk_status stk_fields_read(const stk_json_value *object, const stk_fields *table, void *to,
                           const char *stage, stk_error *err)
{
    const place root = {NULL, "", NO_INDEX, stage, err};
    return read_object(object, table, to, &root);
}
