/* A serialized Example as a sample. */
#include "storage/source/example_sample.h"

#include "base/hash.h"
#include "storage/example/example_text.h"

#include <inttypes.h>
#include <string.h>

enum {
    FEW_KEYS = 32, /* are searched one by one, more by their hashes */
    KEYS_MAX = 1 << 20,
    UNIT = 8, /* values are 8-byte aligned */
};

void stk_example_sample_init(stk_example_sample *scratch, stk_ledger *ledger)
{
    stk_blob_init(&scratch->buckets, ledger, STK_MEMORY_RECORD);
    stk_blob_init(&scratch->views, ledger, STK_MEMORY_RECORD);
    stk_blob_init(&scratch->fields, ledger, STK_MEMORY_RECORD);
    stk_blob_init(&scratch->values, ledger, STK_MEMORY_RECORD);
}

void stk_example_sample_release(stk_example_sample *scratch)
{
    stk_blob_release(&scratch->buckets);
    stk_blob_release(&scratch->views);
    stk_blob_release(&scratch->fields);
    stk_blob_release(&scratch->values);
}

static stk_feature_view *view_at(const stk_example_sample *scratch, size_t index)
{
    return (stk_feature_view *)(void *)scratch->views.data + index;
}

static size_t view_count(const stk_example_sample *scratch)
{
    return scratch->views.size / sizeof(stk_feature_view);
}

/* The bucket of a name, or the free one for it. */
static uint32_t *find_bucket(const stk_example_sample *scratch, stk_bytes name)
{
    uint32_t    *buckets = (uint32_t *)(void *)scratch->buckets.data;
    const size_t mask = scratch->buckets.size / sizeof *buckets - 1;
    size_t       at = stk_hash64(0, name.data, name.size) & mask;
    while (buckets[at] && !stk_bytes_equal(view_at(scratch, buckets[at] - 1)->name, name))
        at = (at + 1) & mask;
    return &buckets[at];
}

/* A table of twice the number of views, rebuilt for every record that needs one. */
static stk_status grow_buckets(stk_example_sample *scratch, stk_error *err)
{
    const size_t count = view_count(scratch);
    size_t       bytes = 4 * FEW_KEYS * sizeof(uint32_t);
    while (bytes / sizeof(uint32_t) < 4 * count)
        bytes *= 2;
    STK_TRY(stk_blob_reserve(&scratch->buckets, bytes, err));
    memset(scratch->buckets.data, 0, bytes);
    scratch->buckets.size = bytes;
    for (size_t i = 0; i < count; i++)
        *find_bucket(scratch, view_at(scratch, i)->name) = (uint32_t)i + 1;
    return STK_OK;
}

static stk_feature_view *find_view(const stk_example_sample *scratch, stk_bytes name)
{
    const size_t count = view_count(scratch);
    if (scratch->buckets.size) {
        const uint32_t bucket = *find_bucket(scratch, name);
        return bucket ? view_at(scratch, bucket - 1) : NULL;
    }
    for (size_t i = 0; i < count; i++)
        if (stk_bytes_equal(view_at(scratch, i)->name, name)) return view_at(scratch, i);
    return NULL;
}

/* Of a key that is there twice the last counts, as in a map. */
static stk_status take_view(void *context, const stk_feature_view *view, stk_error *err)
{
    stk_example_sample *scratch = context;
    stk_feature_view   *known = find_view(scratch, view->name);
    const size_t        count = view_count(scratch);
    char                text[STK_KEY_TEXT];
    if (known) {
        *known = *view;
        return STK_OK;
    }
    if (count == KEYS_MAX)
        return stk_fail(err, STK_E_LIMIT, "example", scratch->where,
                        "more than %d features in one record", (int)KEYS_MAX);
    /* A field's name ends at a zero byte: it would be called like another one. */
    if (view->name.size && memchr(view->name.data, 0, view->name.size))
        return stk_fail(err, STK_E_UNSUPPORTED, "example", scratch->where,
                        "%s: a name with a zero byte cannot be the name of a field",
                        stk_key_text(view->name, text));
    STK_TRY(stk_blob_append(&scratch->views, view, sizeof *view, err));
    if (scratch->buckets.size && 2 * count < scratch->buckets.size / sizeof(uint32_t))
        *find_bucket(scratch, view->name) = (uint32_t)count + 1;
    else if (count >= FEW_KEYS)
        return grow_buckets(scratch, err);
    return STK_OK;
}

static size_t aligned(size_t bytes)
{
    return (bytes + UNIT - 1) / UNIT * UNIT;
}

static size_t value_bytes(const stk_feature_view *view)
{
    const size_t one = view->dtype == STK_DTYPE_I64   ? sizeof(int64_t)
                       : view->dtype == STK_DTYPE_F32 ? sizeof(float)
                                                      : sizeof(stk_bytes);
    return aligned(view->count * one);
}

/* Values take at most eight times what they take in the record, names little more. */
static stk_status reserve(stk_example_sample *scratch, stk_error *err)
{
    const stk_feature_view *views = (const stk_feature_view *)(const void *)scratch->views.data;
    const size_t            count = scratch->views.size / sizeof *views;
    size_t                  bytes = UNIT;
    for (size_t i = 0; i < count; i++)
        bytes += value_bytes(&views[i]) + aligned(views[i].name.size + 1);
    scratch->values.size = scratch->fields.size = 0;
    STK_TRY(stk_blob_reserve(&scratch->fields, (count + 1) * sizeof(stk_field), err));
    return stk_blob_reserve(&scratch->values, bytes, err);
}

static stk_status decode(const stk_feature_view *view, void *dst, stk_error *err)
{
    size_t count;
    if (view->dtype == STK_DTYPE_I64)
        return stk_feature_decode_ints(view, dst, view->count, &count, err);
    if (view->dtype == STK_DTYPE_F32)
        return stk_feature_decode_floats(view, dst, view->count, &count, err);
    return stk_feature_decode_bytes(view, dst, view->count, &count, err);
}

/* Records mostly have their features in the order of the description: the search begins behind the
 * one found last. */
static const stk_feature_info *find_feature(const stk_feature_info *features, size_t count,
                                            stk_bytes name, size_t *next)
{
    for (size_t i = 0; i < count; i++) {
        const size_t at = (*next + i) % count;
        if (!stk_bytes_equal(stk_bytes_text(features[at].name), name)) continue;
        *next = at + 1;
        return &features[at];
    }
    return NULL;
}

/* The product of the dimensions, or -1 when one is not known. */
static int64_t product(const stk_shape *shape)
{
    int64_t count = 1;
    for (int i = 0; i < shape->rank; i++)
        if (shape->dim[i] < 0 || __builtin_mul_overflow(count, shape->dim[i], &count)) return -1;
    return count;
}

static stk_shape shape_of(const stk_feature_info *feature, size_t count)
{
    const bool image = feature && feature->meaning == STK_MEANING_IMAGE;
    if (feature && !image && product(&feature->shape) == (int64_t)count) return feature->shape;
    if (count == 1 && (!feature || image || !feature->shape.rank)) return stk_shape_scalar();
    return stk_shape_1d((int64_t)count);
}

/* Raw bytes of a tensor, stored as one byte string, are given out as the tensor. */
static stk_status open_bytes(stk_field *field, const stk_feature_info *feature, const char *where,
                             stk_error *err)
{
    const stk_bytes bytes = field->count ? *(const stk_bytes *)field->data : stk_bytes_of("", 0);
    const int64_t   wanted = product(&feature->shape);
    if (field->count != 1 || (wanted >= 0 && (uint64_t)wanted != bytes.size))
        return stk_fail(err, STK_E_SHAPE, "example", where,
                        "'%s' has %zu byte strings, the first of %zu bytes; features.json says "
                        "one of %" PRId64,
                        field->name, field->count, bytes.size, wanted);
    field->dtype = STK_DTYPE_U8;
    field->data = bytes.data;
    field->count = bytes.size;
    field->shape = wanted >= 0 ? feature->shape : stk_shape_1d((int64_t)bytes.size);
    return STK_OK;
}

static void *reserve_values(stk_blob *values, size_t bytes)
{
    void *result = values->data + values->size;
    values->size += aligned(bytes);
    return result;
}

static stk_status add_field(stk_example_sample *scratch, const stk_feature_view *view,
                            const stk_feature_info *feature, const char *where, stk_error *err)
{
    stk_field *field =
        (stk_field *)(void *)scratch->fields.data + scratch->fields.size / sizeof *field;
    void *values = reserve_values(&scratch->values, value_bytes(view));
    char *name = reserve_values(&scratch->values, view->name.size + 1);
    if (view->name.size) memcpy(name, view->name.data, view->name.size);
    name[view->name.size] = '\0';
    STK_TRY(decode(view, values, err));
    *field = (stk_field){.name = feature ? feature->name : name,
                         .dtype = view->dtype,
                         .shape = shape_of(feature, view->count),
                         .data = values,
                         .count = view->count};
    scratch->fields.size += sizeof *field;
    if (view->dtype == STK_DTYPE_BYTES && feature && feature->dtype == STK_DTYPE_U8)
        return open_bytes(field, feature, where, err);
    return STK_OK;
}

stk_status stk_example_sample_read(stk_example_sample *scratch, stk_bytes record,
                                   const stk_feature_info *features, size_t feature_count,
                                   const char *where, stk_sample *sample, stk_error *err)
{
    scratch->views.size = scratch->buckets.size = 0;
    scratch->where = where;
    STK_TRY(stk_example_visit(record, where, take_view, scratch, err));
    STK_TRY(reserve(scratch, err));
    const stk_feature_view *views = (const stk_feature_view *)(const void *)scratch->views.data;
    size_t                  next = 0;
    for (size_t i = 0; i < scratch->views.size / sizeof *views; i++) {
        if (!views[i].dtype) continue; /* an entry whose kind is unset has no value */
        STK_TRY(add_field(scratch, &views[i],
                          find_feature(features, feature_count, views[i].name, &next), where, err));
    }
    sample->fields = (const stk_field *)(const void *)scratch->fields.data;
    sample->field_count = scratch->fields.size / sizeof(stk_field);
    return STK_OK;
}
