/* Looking things up in a JSON tree. */
#include "base/json_value.h"

#include <stdlib.h>

void stk_json_document_free(stk_json_document *doc)
{
    if (!doc) return;
    stk_arena_release(&doc->arena);
    free(doc);
}

const stk_json_value *stk_json_root(const stk_json_document *doc)
{
    return doc ? &doc->root : NULL;
}

static bool is(const stk_json_value *value, stk_json_type type)
{
    return value && value->type == type;
}

stk_json_type stk_json_type_of(const stk_json_value *value)
{
    return value ? (stk_json_type)value->type : STK_JSON_NULL;
}

/* Of equal keys the last counts, as in Python and JavaScript. */
const stk_json_value *stk_json_get(const stk_json_value *object, const char *key)
{
    if (!is(object, STK_JSON_OBJECT)) return NULL;
    const size_t size = strlen(key);
    for (size_t i = object->count; i-- > 0;) {
        const stk_json_value *child = &object->children[i];
        if (child->key_size == size && memcmp(child->key, key, size) == 0) return child;
    }
    return NULL;
}

size_t stk_json_count(const stk_json_value *array_or_object)
{
    if (!is(array_or_object, STK_JSON_ARRAY) && !is(array_or_object, STK_JSON_OBJECT)) return 0;
    return array_or_object->count;
}

const stk_json_value *stk_json_at(const stk_json_value *array_or_object, size_t index)
{
    if (index >= stk_json_count(array_or_object)) return NULL;
    return &array_or_object->children[index];
}

const char *stk_json_key_at(const stk_json_value *object, size_t index)
{
    const stk_json_value *child = stk_json_at(object, index);
    return child ? child->key : NULL;
}

const char *stk_json_text(const stk_json_value *value, const char *default_value)
{
    return is(value, STK_JSON_STRING) ? value->text : default_value;
}

double stk_json_number(const stk_json_value *value, double default_value)
{
    return is(value, STK_JSON_NUMBER) ? value->number : default_value;
}

bool stk_json_truth(const stk_json_value *value, bool default_value)
{
    return is(value, STK_JSON_BOOL) ? value->truth : default_value;
}

static int64_t integer_of_text(const stk_json_value *value, int64_t default_value)
{
    const char *p = value->text, *end = p + value->count;
    const bool  negative = p < end && *p == '-';
    int64_t     sum = 0;
    if (negative) p++;
    if (p == end) return default_value;
    for (; p < end; p++) {
        const int digit = *p - '0';
        if (digit < 0 || digit > 9 || __builtin_mul_overflow(sum, 10, &sum) ||
            __builtin_add_overflow(sum, negative ? -digit : digit, &sum))
            return default_value;
    }
    return sum;
}

int64_t stk_json_integer(const stk_json_value *value, int64_t default_value)
{
    if (is(value, STK_JSON_STRING)) return integer_of_text(value, default_value);
    return is(value, STK_JSON_NUMBER) && value->is_integer ? value->integer : default_value;
}
