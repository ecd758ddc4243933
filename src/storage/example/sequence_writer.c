/* Writes a context and lists of steps as a SequenceExample. */
#include "storage/example/example_encode.h"

#include <stoker/sequence_example.h>
#include <string.h>

enum { TAG_FIRST = 0x0a, TAG_SECOND = 0x12 };

static stk_status check_lists(const stk_sequence_field *lists, size_t count, stk_error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (!lists[i].name)
            return stk_fail(err, STK_E_INVALID, "write", NULL, "feature list %zu has no name", i);
        STK_TRY(stk_encode_check_dtype(lists[i].dtype, lists[i].name, err));
        for (size_t k = 0; k < i; k++)
            if (strcmp(lists[k].name, lists[i].name) == 0)
                return stk_fail(err, STK_E_INVALID, "write", lists[i].name,
                                "feature lists %zu and %zu have the same name: a reader would see "
                                "only the last",
                                k, i);
    }
    return STK_OK;
}

/* The values of the step that begins at value `begin`. */
static const void *step_data(const stk_sequence_field *list, size_t begin)
{
    if (!list->data) return NULL;
    return (const uint8_t *)list->data + begin * stk_dtype_bytes(list->dtype);
}

static size_t list_size(const stk_sequence_field *list)
{
    size_t size = 0, begin = 0;
    for (size_t i = 0; i < list->steps; begin += list->step_counts[i++])
        size =
            stk_encode_add(size, stk_wire_len_size(stk_feature_size(
                                     list->dtype, step_data(list, begin), list->step_counts[i])));
    return size;
}

static size_t entry_size(const stk_sequence_field *list)
{
    return stk_encode_add(stk_wire_len_size(strlen(list->name)),
                          stk_wire_len_size(list_size(list)));
}

static size_t lists_size(const stk_sequence_field *lists, size_t count)
{
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        size = stk_encode_add(size, stk_wire_len_size(entry_size(&lists[i])));
    return size;
}

static uint8_t *put_list(uint8_t *at, const stk_sequence_field *list)
{
    const size_t length = strlen(list->name);
    size_t       begin = 0;
    at = stk_wire_put_len(at, TAG_FIRST, entry_size(list));
    at = stk_wire_put_len(at, TAG_FIRST, length);
    memcpy(at, list->name, length);
    at = stk_wire_put_len(at + length, TAG_SECOND, list_size(list));
    for (size_t i = 0; i < list->steps; begin += list->step_counts[i++]) {
        const void  *data = step_data(list, begin);
        const size_t count = list->step_counts[i];
        at = stk_wire_put_len(at, TAG_FIRST, stk_feature_size(list->dtype, data, count));
        at = stk_feature_put(at, list->dtype, data, count);
    }
    return at;
}

stk_status stk_sequence_example_write(stk_blob *out, const stk_sample *context,
                                      const stk_sequence_field *lists, size_t list_count,
                                      stk_error *err)
{
    const stk_sample none = {0};
    if (!context) context = &none;
    STK_TRY(stk_features_check(context, err));
    STK_TRY(check_lists(lists, list_count, err));
    const size_t features = stk_features_size(context), all = lists_size(lists, list_count);
    size_t       size = 0;
    if (context->field_count) size = stk_wire_len_size(features);
    if (list_count) size = stk_encode_add(size, stk_wire_len_size(all));
    uint8_t *at = stk_encode_reserve(out, size, err);
    if (!at) return err ? err->status : STK_E_NOMEM;
    if (context->field_count)
        at = stk_features_put(stk_wire_put_len(at, TAG_FIRST, features), context);
    if (list_count) at = stk_wire_put_len(at, TAG_SECOND, all);
    for (size_t i = 0; i < list_count; i++)
        at = put_list(at, &lists[i]);
    out->size += size;
    return STK_OK;
}
