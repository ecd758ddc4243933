/* One record the fast way: every value goes from the wire to its place in one pass.
 *
 * Records of one data set look alike: the same keys in the same order, mostly with values of the
 * same size. So each column keeps the bytes that stood before its values last time, and the batch
 * keeps the order of the columns. If the predicted column's bytes are there again, the values are
 * found by two or four comparisons, without reading a tag, a length or a key. If only the lengths
 * differ, the key is compared; if the key differs, it is looked up.
 *
 * Whatever a common serializer would not write (value before key, unknown fields inside a map
 * entry, a key twice, a wrong count, a wrong type, damage) is left to the careful parse. */
#include "base/checked.h"
#include "storage/example/example_batch.h"
#include "storage/example/value_list.h"

enum {
    TAG_FIRST = 0x0a,  /* field 1, chunk: features, entry, key, bytes list, packed values */
    TAG_SECOND = 0x12, /* field 2, chunk: value, float list */
    TAG_THIRD = 0x1a   /* field 3, chunk: int64 list */
};

/* An entry taken apart. */
typedef struct entry {
    const uint8_t *key;
    size_t         key_size;
    uint8_t        kind; /* the tag of the list; 0 when the kind is unset */
    const uint8_t *list, *end;
} entry;

/* Reads a length that must fit before end. NULL if it does not or is no such number. */
static inline const uint8_t *read_length(const uint8_t *at, const uint8_t *end, size_t *length)
{
    uint64_t value;
    at = stk_varint_read(at, end, &value);
    if (!at || value > (uint64_t)(end - at)) return NULL;
    *length = (size_t)value;
    return at;
}

/* Reads tag and length of a chunk. */
static inline const uint8_t *read_chunk(const uint8_t *at, const uint8_t *end, uint8_t tag,
                                        size_t *length)
{
    if (at == end || *at != tag) return NULL;
    return read_length(at + 1, end, length);
}

static inline bool equal16(const uint8_t *a, const uint8_t *b)
{
    return ((stk_load64(a) ^ stk_load64(b)) | (stk_load64(a + 8) ^ stk_load64(b + 8))) == 0;
}

/* Whether size bytes (at least 8) are equal. Loads overlap instead of reading past the end. */
static inline bool equal_prefix(const uint8_t *a, const uint8_t *b, size_t size)
{
    if (size < 16)
        return ((stk_load64(a) ^ stk_load64(b)) |
                (stk_load64(a + size - 8) ^ stk_load64(b + size - 8))) == 0;
    if (!equal16(a + size - 16, b + size - 16)) return false;
    for (size_t i = 0; i + 16 < size; i += 16)
        if (!equal16(a + i, b + i)) return false;
    return true;
}

/* The varint that fills exactly the size bytes before end. All 8 bytes before end must be there to
 * read: the prefix of an entry sees to that. */
static inline bool unpack_last(const uint8_t *end, size_t size, int64_t *value)
{
    if (size - 1 >= 8) {
        uint64_t number = 0;
        if (stk_varint_read(end - size, end, &number) != end) return false;
        *value = (int64_t)number;
        return true;
    }
    uint64_t x = stk_load64(end - 8) >> (64 - 8 * size);
    /* Every byte but the last says that more follows. */
    if ((x & 0x8080808080808080u) != 0x0080808080808080u >> (64 - 8 * size)) return false;
    *value = (int64_t)stk_varint_squeeze(x);
    return true;
}

/* Exactly count byte strings. */
static bool unpack_strings(const uint8_t *at, const uint8_t *end, stk_bytes *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t size;
        at = read_chunk(at, end, TAG_FIRST, &size);
        if (!at) return false;
        values[i] = stk_bytes_of(at, size);
        at += size;
    }
    return at == end;
}

/* Writes the values of a DENSE feature to their location. */
static inline bool put_dense(const stk_example_feature *feature, const uint8_t *at, size_t size,
                             bool packed, uint8_t *row)
{
    const size_t stride = feature->stride;
    if (feature->dtype == STK_DTYPE_BYTES)
        return unpack_strings(at, at + size, (stk_bytes *)row, stride);
    if (!packed) {
        stk_wire list = stk_wire_over(stk_bytes_of(at, size)), values = list;
        size_t   count;
        return stk_value_list_count(&list, feature->dtype, &count) && count == stride &&
               stk_value_list_read(&values, feature->dtype, row, count, &count);
    }
    if (feature->dtype == STK_DTYPE_I64) {
        if (stride == 1) return unpack_last(at + size, size, (int64_t *)row);
        return stk_varints_unpack(at, at + size, (int64_t *)row, stride);
    }
    if (stride == 1 && size == sizeof(float)) {
        memcpy(row, at, sizeof(float));
        return true;
    }
    if (size % sizeof(float) || size / sizeof(float) != stride) return false;
    memcpy(row, at, size);
    return true;
}

/* The number of values; false if the fast path cannot count them. */
static bool count_values(stk_dtype dtype, const uint8_t *at, size_t size, bool packed,
                         size_t *count)
{
    if (packed && dtype == STK_DTYPE_F32) {
        *count = size / sizeof(float);
        return size % sizeof(float) == 0;
    }
    if (packed) {
        *count = stk_varints_count(at, at + size);
        return true;
    }
    stk_wire list = stk_wire_over(stk_bytes_of(at, size));
    return stk_value_list_count(&list, dtype, count);
}

/* The values of a feature of varying length, behind those of the records before. */
static stk_fast_result put_growing(stk_example_column *column, const uint8_t *at, size_t size,
                                   bool packed, stk_error *err)
{
    const stk_example_feature *feature = column->feature;
    size_t                     count;
    if (!count_values(feature->dtype, at, size, packed, &count)) return STK_FAST_UNSURE;
    if (count % feature->stride) return STK_FAST_UNSURE;
    void *to = stk_values_grow(&column->values, column->used, count, feature->element_bytes, err);
    if (!to) return STK_FAST_FAILED;
    bool read;
    if (packed && feature->dtype == STK_DTYPE_I64) {
        read = stk_varints_unpack(at, at + size, to, count);
    } else if (packed) {
        memcpy(to, at, size);
        read = true;
    } else {
        stk_wire list = stk_wire_over(stk_bytes_of(at, size));
        read = stk_value_list_read(&list, feature->dtype, to, count, &count);
    }
    if (!read) return STK_FAST_UNSURE;
    column->used += count;
    return STK_FAST_DONE;
}

/* Takes an entry apart; false when it is not as serializers write it. */
static inline bool read_entry(const uint8_t *at, const uint8_t *end, entry *e)
{
    size_t size;
    at = read_chunk(at, end, TAG_FIRST, &size);
    if (!at) return false;
    e->end = at + size;
    e->key = read_chunk(at, e->end, TAG_FIRST, &e->key_size);
    if (!e->key) return false;
    at = read_chunk(e->key + e->key_size, e->end, TAG_SECOND, &size);
    if (!at || at + size != e->end) return false;
    e->kind = 0;
    e->list = at;
    if (!size) return true;
    e->kind = *at;
    e->list = read_length(at + 1, e->end, &size);
    return e->kind && e->list && e->list + size == e->end;
}

static inline uint8_t kind_of(stk_dtype dtype)
{
    return dtype == STK_DTYPE_BYTES ? TAG_FIRST : dtype == STK_DTYPE_F32 ? TAG_SECOND : TAG_THIRD;
}

/* Keeps what stood before the values for next time. Numbers in one packed chunk, as everybody
 * writes them, include the chunk's header. */
static const uint8_t *keep_prefix(stk_entry_prefix *prefix, const uint8_t *begin, const entry *e)
{
    const uint8_t *payload = e->list;
    size_t         size;
    prefix->packed = false;
    if (e->kind != TAG_FIRST) {
        const uint8_t *inside = read_chunk(e->list, e->end, TAG_FIRST, &size);
        if (inside && inside + size == e->end && size) {
            payload = inside;
            prefix->packed = true;
        }
    }
    prefix->payload = (size_t)(e->end - payload);
    size = (size_t)(payload - begin);
    prefix->size = size <= STK_PREFIX_BYTES ? size : 0;
    memcpy(prefix->bytes, begin, prefix->size);
    return payload;
}

/* State of the walk over one record's entries. */
typedef struct walk {
    stk_example_batch *batch;
    size_t             index; /* of the record */
    size_t             seen;  /* wanted features so far */
    size_t             entry; /* entries so far: the index in batch->order */
} walk;

static inline stk_fast_result put(walk *w, stk_example_column *column, const uint8_t *payload,
                                  size_t size, bool packed, stk_error *err)
{
    if (column->stamp == w->batch->serial) return STK_FAST_UNSURE; /* the key is there twice */
    column->stamp = w->batch->serial;
    w->seen++;
    const stk_example_feature *feature = column->feature;
    if (feature->kind != STK_FEATURE_DENSE) return put_growing(column, payload, size, packed, err);
    return put_dense(feature, payload, size, packed, stk_column_row(column, w->index))
               ? STK_FAST_DONE
               : STK_FAST_UNSURE;
}

/* An entry whose kind is unset: nothing, but for a feature of varying length it is an entry that
 * may stand twice. */
static inline stk_fast_result put_unset(walk *w, stk_example_column *column)
{
    if (column->feature->kind != STK_FEATURE_VARLEN) return STK_FAST_DONE;
    if (column->stamp == w->batch->serial) return STK_FAST_UNSURE;
    column->stamp = w->batch->serial;
    w->seen++;
    return STK_FAST_DONE;
}

/* The column of an entry's key, or the number of columns. If the record left out one feature that
 * the last one had, the prediction is brought back in step. */
static size_t find_column(walk *w, const entry *e, size_t predicted)
{
    stk_example_batch *batch = w->batch;
    const size_t       none = batch->parser->count;
    if (predicted < none) {
        const stk_bytes name = batch->columns[predicted].feature->name;
        if (name.size == e->key_size && memcmp(name.data, e->key, name.size) == 0) return predicted;
    }
    const size_t index = stk_key_table_find(&batch->parser->names, e->key, e->key_size);
    if (w->entry + 1 < STK_ORDER_ENTRIES) {
        if (batch->order[w->entry + 1] == index && index < none)
            w->entry++;
        else
            batch->order[w->entry] = (uint32_t)index;
    }
    return index;
}

/* The entry at *at, which is not as predicted. */
static stk_fast_result take_entry(walk *w, const uint8_t **at, const uint8_t *end, size_t predicted,
                                  stk_error *err)
{
    const uint8_t *begin = *at;
    entry          e;
    if (!read_entry(begin, end, &e)) return STK_FAST_UNSURE;
    *at = e.end;
    const size_t index = find_column(w, &e, predicted);
    if (index == w->batch->parser->count) return STK_FAST_DONE;
    stk_example_column *column = &w->batch->columns[index];
    if (!e.kind) return put_unset(w, column);
    if (e.kind != kind_of(column->feature->dtype)) return STK_FAST_UNSURE;
    const uint8_t *payload = keep_prefix(&column->prefix, begin, &e);
    return put(w, column, payload, (size_t)(e.end - payload), column->prefix.packed, err);
}

static stk_fast_result take_features(walk *w, const uint8_t *at, const uint8_t *end, stk_error *err)
{
    stk_example_batch *batch = w->batch;
    const size_t       none = batch->parser->count;
    for (; at < end; w->entry++) {
        const size_t    predicted = w->entry < STK_ORDER_ENTRIES ? batch->order[w->entry] : none;
        stk_fast_result result;
        if (predicted < none) {
            stk_example_column     *column = &batch->columns[predicted];
            const stk_entry_prefix *prefix = &column->prefix;
            if (prefix->size && (size_t)(end - at) >= prefix->size + prefix->payload &&
                equal_prefix(at, prefix->bytes, prefix->size)) {
                at += prefix->size + prefix->payload;
                result = put(w, column, at - prefix->payload, prefix->payload, prefix->packed, err);
                if (result != STK_FAST_DONE) return result;
                continue;
            }
        }
        result = take_entry(w, &at, end, predicted, err);
        if (result != STK_FAST_DONE) return result;
    }
    return STK_FAST_DONE;
}

/* Defaults for what the record lacks. */
static bool fill_missing(const walk *w)
{
    for (size_t i = 0; i < w->batch->parser->count; i++) {
        const stk_example_column  *column = &w->batch->columns[i];
        const stk_example_feature *feature = column->feature;
        if (column->stamp == w->batch->serial || feature->kind != STK_FEATURE_DENSE) continue;
        if (!feature->has_default) return false;
        memcpy(stk_column_row(column, w->index), feature->fill,
               feature->stride * feature->element_bytes);
    }
    return true;
}

stk_fast_result stk_example_parse_fast(stk_example_batch *batch, stk_bytes record, size_t index,
                                       stk_error *err)
{
    stk_wire wire = stk_wire_over(record);
    walk     w = {.batch = batch, .index = index};
    batch->serial++;
    while (!stk_wire_done(&wire)) {
        size_t         size;
        const uint8_t *features = read_chunk(wire.at, wire.end, TAG_FIRST, &size);
        if (features) {
            const stk_fast_result result = take_features(&w, features, features + size, err);
            if (result != STK_FAST_DONE) return result;
            wire.at = features + size;
            continue;
        }
        /* Not for us: as the feature lists of a SequenceExample, whose context this is. */
        uint32_t field;
        int      type;
        if (!stk_wire_tag(&wire, &field, &type) || field == 1) return STK_FAST_UNSURE;
        if (!stk_wire_skip(&wire, type)) return STK_FAST_UNSURE;
    }
    if (w.seen == batch->parser->count || fill_missing(&w)) return STK_FAST_DONE;
    return STK_FAST_UNSURE;
}
