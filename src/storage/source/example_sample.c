/* A serialized Example as a sample. */
#include "storage/source/example_sample.h"

#include "base/hash.h"
#include "storage/example/example_text.h"

#include <inttypes.h>
#include <string.h>

enum {
    FEW_KEYS = 32, /* are searched one by one, more by their hashes */
    MOST_KEYS = 1 << 20,
    UNIT = 8, /* values are 8-byte aligned */
};

void stk_example_sample_init(stk_example_sample *room, stk_ledger *ledger)
{
    stk_blob_init(&room->places, ledger, STK_MEMORY_RECORD);
    stk_blob_init(&room->views, ledger, STK_MEMORY_RECORD);
    stk_blob_init(&room->fields, ledger, STK_MEMORY_RECORD);
    stk_blob_init(&room->values, ledger, STK_MEMORY_RECORD);
}

void stk_example_sample_release(stk_example_sample *room)
{
    stk_blob_release(&room->places);
    stk_blob_release(&room->views);
    stk_blob_release(&room->fields);
    stk_blob_release(&room->values);
}

static stk_feature_view *view_at(const stk_example_sample *room, size_t index)
{
    return (stk_feature_view *)(void *)room->views.data + index;
}

static size_t view_count(const stk_example_sample *room)
{
    return room->views.size / sizeof(stk_feature_view);
}

/* The place of a name, or the free one where it belongs. */
static uint32_t *find_place(const stk_example_sample *room, stk_bytes name)
{
    uint32_t    *places = (uint32_t *)(void *)room->places.data;
    const size_t mask = room->places.size / sizeof *places - 1;
    size_t       at = stk_hash64(0, name.data, name.size) & mask;
    while (places[at] && !stk_bytes_equal(view_at(room, places[at] - 1)->name, name))
        at = (at + 1) & mask;
    return &places[at];
}

/* Room for twice the views there are. The table is made anew for every record that needs one. */
static stk_status grow_places(stk_example_sample *room, stk_error *err)
{
    const size_t count = view_count(room);
    size_t       bytes = 4 * FEW_KEYS * sizeof(uint32_t);
    while (bytes / sizeof(uint32_t) < 4 * count)
        bytes *= 2;
    STK_TRY(stk_blob_reserve(&room->places, bytes, err));
    memset(room->places.data, 0, bytes);
    room->places.size = bytes;
    for (size_t i = 0; i < count; i++)
        *find_place(room, view_at(room, i)->name) = (uint32_t)i + 1;
    return STK_OK;
}

static stk_feature_view *find_view(const stk_example_sample *room, stk_bytes name)
{
    const size_t count = view_count(room);
    if (room->places.size) {
        const uint32_t place = *find_place(room, name);
        return place ? view_at(room, place - 1) : NULL;
    }
    for (size_t i = 0; i < count; i++)
        if (stk_bytes_equal(view_at(room, i)->name, name)) return view_at(room, i);
    return NULL;
}

/* Of a key that is there twice the last counts, as in a map. */
static stk_status take_view(void *context, const stk_feature_view *view, stk_error *err)
{
    stk_example_sample *room = context;
    stk_feature_view   *known = find_view(room, view->name);
    const size_t        count = view_count(room);
    char                text[STK_KEY_TEXT];
    if (known) {
        *known = *view;
        return STK_OK;
    }
    if (count == MOST_KEYS)
        return stk_fail(err, STK_E_LIMIT, "example", room->where,
                        "more than %d features in one record", (int)MOST_KEYS);
    /* A field's name ends at a zero byte: it would be called like another one. */
    if (view->name.size && memchr(view->name.data, 0, view->name.size))
        return stk_fail(err, STK_E_UNSUPPORTED, "example", room->where,
                        "%s: a name with a zero byte cannot be the name of a field",
                        stk_key_text(view->name, text));
    STK_TRY(stk_blob_append(&room->views, view, sizeof *view, err));
    if (room->places.size && 2 * count < room->places.size / sizeof(uint32_t))
        *find_place(room, view->name) = (uint32_t)count + 1;
    else if (count >= FEW_KEYS)
        return grow_places(room, err);
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
static stk_status reserve(stk_example_sample *room, stk_error *err)
{
    const stk_feature_view *views = (const stk_feature_view *)(const void *)room->views.data;
    const size_t            count = room->views.size / sizeof *views;
    size_t                  bytes = UNIT;
    for (size_t i = 0; i < count; i++)
        bytes += value_bytes(&views[i]) + aligned(views[i].name.size + 1);
    room->values.size = room->fields.size = 0;
    STK_TRY(stk_blob_reserve(&room->fields, (count + 1) * sizeof(stk_field), err));
    return stk_blob_reserve(&room->values, bytes, err);
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

static void *take_room(stk_blob *values, size_t bytes)
{
    void *result = values->data + values->size;
    values->size += aligned(bytes);
    return result;
}

static stk_status add_field(stk_example_sample *room, const stk_feature_view *view,
                            const stk_feature_info *feature, const char *where, stk_error *err)
{
    stk_field *field = (stk_field *)(void *)room->fields.data + room->fields.size / sizeof *field;
    void      *values = take_room(&room->values, value_bytes(view));
    char      *name = take_room(&room->values, view->name.size + 1);
    if (view->name.size) memcpy(name, view->name.data, view->name.size);
    name[view->name.size] = '\0';
    STK_TRY(decode(view, values, err));
    *field = (stk_field){.name = feature ? feature->name : name,
                         .dtype = view->dtype,
                         .shape = shape_of(feature, view->count),
                         .data = values,
                         .count = view->count};
    room->fields.size += sizeof *field;
    if (view->dtype == STK_DTYPE_BYTES && feature && feature->dtype == STK_DTYPE_U8)
        return open_bytes(field, feature, where, err);
    return STK_OK;
}

stk_status stk_example_sample_read(stk_example_sample *room, stk_bytes record,
                                   const stk_feature_info *features, size_t feature_count,
                                   const char *where, stk_sample *sample, stk_error *err)
{
    room->views.size = room->places.size = 0;
    room->where = where;
    STK_TRY(stk_example_visit(record, where, take_view, room, err));
    STK_TRY(reserve(room, err));
    const stk_feature_view *views = (const stk_feature_view *)(const void *)room->views.data;
    size_t                  next = 0;
    for (size_t i = 0; i < room->views.size / sizeof *views; i++) {
        if (!views[i].dtype) continue; /* an entry whose kind is unset has no value */
        STK_TRY(add_field(room, &views[i],
                          find_feature(features, feature_count, views[i].name, &next), where, err));
    }
    sample->fields = (const stk_field *)(const void *)room->fields.data;
    sample->field_count = room->fields.size / sizeof(stk_field);
    return STK_OK;
}
