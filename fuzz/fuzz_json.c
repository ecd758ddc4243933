/* Any bytes: parsing ends with a tree or a placed error, and what the writer makes of the tree
 * parses to as many values again. */
#include "base/json_value.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t write_again(stk_json_writer *w, const stk_json_value *value)
{
    size_t     values = 1;
    const bool object = value->type == STK_JSON_OBJECT;
    switch ((stk_json_type)value->type) {
    case STK_JSON_NULL:
        stk_json_null(w);
        break;
    case STK_JSON_BOOL:
        stk_json_bool(w, stk_json_truth(value, false));
        break;
    case STK_JSON_NUMBER:
        stk_json_double(w, stk_json_number(value, 0));
        break;
    case STK_JSON_STRING:
        (void)stk_json_integer(value, 0);
        stk_json_bytes(w, stk_bytes_of(value->text, value->count));
        break;
    case STK_JSON_ARRAY:
    case STK_JSON_OBJECT:
        (object ? stk_json_object : stk_json_array)(w);
        for (size_t i = 0; i < stk_json_count(value); i++) {
            if (object) stk_json_key(w, stk_json_key_at(value, i));
            values += write_again(w, stk_json_at(value, i));
        }
        (object ? stk_json_object_end : stk_json_array_end)(w);
        break;
    }
    return values;
}

static size_t rewrite(stk_bytes text, stk_blob *out, bool must_parse)
{
    stk_error          err = {0};
    stk_json_document *doc;
    if (stk_json_parse(&doc, text, "fuzz", &err)) {
        if (must_parse || !err.message[0] || doc) abort();
        return 0;
    }
    stk_json_writer w;
    stk_json_begin(&w, out, (int)(text.size % 3));
    const size_t values = write_again(&w, stk_json_root(doc));
    if (stk_json_end(&w, &err)) abort();
    stk_json_document_free(doc);
    return values;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    stk_blob first, second;
    stk_blob_init(&first, NULL, STK_MEMORY_OUTPUT);
    stk_blob_init(&second, NULL, STK_MEMORY_OUTPUT);
    const size_t values = rewrite(stk_bytes_of(data, size), &first, false);
    if (values && rewrite(stk_blob_bytes(&first), &second, true) != values) abort();
    stk_blob_release(&first);
    stk_blob_release(&second);
    return 0;
}
