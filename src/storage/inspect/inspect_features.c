/* Schema statistics over records. Keys are found by guessing that a record has the same ones in the
 * same order as the one before, then by hash. */
#include "storage/inspect/inspect_features.h"

#include "base/hash.h"
#include "storage/record/content_name.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum {
    SNIFF_MAX = 64,        /* byte strings of a key looked at in a portion */
    LABEL_VALUES = 1024,   /* values of one record counted as classes */
    GUESSED_CLASSES = 1000 /* a label found by a part of its name has no more classes */
};

void stk_inspect_schema_init(stk_inspect_schema *schema, const char *label, stk_ledger *ledger)
{
    *schema = (stk_inspect_schema){.label = label};
    stk_arena_init(&schema->arena, ledger, STK_MEMORY_INDEX);
    stk_blob_init(&schema->keys, ledger, STK_MEMORY_INDEX);
    stk_blob_init(&schema->buckets, ledger, STK_MEMORY_INDEX);
}

void stk_inspect_schema_release(stk_inspect_schema *schema)
{
    for (size_t i = 0; i < stk_inspect_schema_count(schema); i++)
        stk_tally_release(&stk_inspect_schema_at(schema, i)->tally);
    stk_blob_release(&schema->keys);
    stk_blob_release(&schema->buckets);
    stk_arena_release(&schema->arena);
}

static bool is_key(const stk_inspect_key *key, stk_bytes name, bool in_sequence)
{
    return key->name_length == name.size && key->seen.in_sequence == in_sequence &&
           (name.size == 0 || memcmp(key->seen.name, name.data, name.size) == 0);
}

static uint32_t *find_bucket(const stk_inspect_schema *schema, stk_bytes name, bool in_sequence)
{
    uint32_t    *buckets = (uint32_t *)(void *)schema->buckets.data;
    const size_t mask = schema->buckets.size / sizeof *buckets - 1;
    size_t       bucket = stk_hash64(in_sequence, name.data, name.size) & mask;
    while (buckets[bucket] &&
           !is_key(stk_inspect_schema_at(schema, buckets[bucket] - 1), name, in_sequence))
        bucket = (bucket + 1) & mask;
    return &buckets[bucket];
}

static stk_status grow_buckets(stk_inspect_schema *schema, stk_error *err)
{
    const size_t count = stk_inspect_schema_count(schema);
    size_t       capacity = 64;
    while (capacity < 4 * (count + 1))
        capacity *= 2;
    const size_t bytes = capacity * sizeof(uint32_t);
    STK_TRY(stk_blob_reserve_exact(&schema->buckets, bytes, err));
    memset(schema->buckets.data, 0, bytes);
    schema->buckets.size = bytes;
    for (size_t i = 0; i < count; i++) {
        const stk_inspect_key *key = stk_inspect_schema_at(schema, i);
        *find_bucket(schema, stk_bytes_of(key->seen.name, key->name_length),
                     key->seen.in_sequence) = (uint32_t)i + 1;
    }
    return STK_OK;
}

static bool holds(const char *text, const char *part)
{
    const size_t length = strlen(part);
    for (; *text; text++)
        if (!strncasecmp(text, part, length)) return true;
    return false;
}

static stk_status add_key(stk_inspect_schema *schema, stk_bytes name, bool in_sequence,
                          stk_error *err)
{
    if ((stk_inspect_schema_count(schema) + 1) * 2 > schema->buckets.size / sizeof(uint32_t))
        STK_TRY(grow_buckets(schema, err));
    stk_inspect_key key = {.seen = {.in_sequence = in_sequence}, .name_length = name.size};
    key.seen.name = stk_arena_text(&schema->arena, (const char *)name.data, name.size, err);
    if (!key.seen.name) return err->status;
    if (schema->label)
        key.is_label = !strcmp(schema->label, key.seen.name);
    else
        key.is_label = holds(key.seen.name, "label") || holds(key.seen.name, "class");
    key.is_label = key.is_label && !in_sequence;
    stk_tally_init(&key.tally, &schema->arena);
    STK_TRY(stk_blob_append(&schema->keys, &key, sizeof key, err));
    *find_bucket(schema, name, in_sequence) = (uint32_t)stk_inspect_schema_count(schema);
    return STK_OK;
}

static stk_status find_key(stk_inspect_schema *schema, stk_bytes name, bool in_sequence,
                           stk_inspect_key **out, stk_error *err)
{
    const size_t count = stk_inspect_schema_count(schema);
    size_t       index = schema->expected;
    if (index >= count || !is_key(stk_inspect_schema_at(schema, index), name, in_sequence)) {
        if (!count || !*find_bucket(schema, name, in_sequence))
            STK_TRY(add_key(schema, name, in_sequence, err));
        index = *find_bucket(schema, name, in_sequence) - 1;
    }
    schema->expected = index + 1;
    *out = stk_inspect_schema_at(schema, index);
    return STK_OK;
}

static void add_range(uint64_t *min, uint64_t *max, uint64_t value, bool first)
{
    if (first || value < *min) *min = value;
    if (first || value > *max) *max = value;
}

static void join_content(char *known, const char *found)
{
    if (!known[0])
        snprintf(known, sizeof((stk_inspect_feature *)0)->content, "%s", found);
    else if (strcmp(known, found) != 0)
        snprintf(known, sizeof((stk_inspect_feature *)0)->content, "mixed");
}

static void join_type(stk_inspect_feature *seen, stk_dtype dtype, bool mixed)
{
    if (dtype != STK_DTYPE_NONE && seen->dtype == STK_DTYPE_NONE && !seen->mixed_types)
        seen->dtype = dtype;
    else if (dtype != STK_DTYPE_NONE && seen->dtype != dtype)
        mixed = true;
    if (!mixed) return;
    seen->mixed_types = true;
    seen->dtype = STK_DTYPE_NONE;
}

/* Indexes of restarts have no signature of their own; their name says it, and their version. */
static const char *content_of(const stk_inspect_feature *feature, stk_bytes string)
{
    static const char ending[] = "_restarts";
    const size_t      length = strlen(feature->name), less = sizeof ending - 1;
    if (length > less && !strcmp(feature->name + length - less, ending) && string.data[0] == 1)
        return "restart index";
    return stk_content_name(string);
}

static void add_strings(stk_inspect_key *key, const stk_bytes *strings, size_t count)
{
    stk_inspect_feature *seen = &key->seen;
    for (size_t i = 0; i < count; i++) {
        /* No string came before exactly when none was sniffed. */
        add_range(&seen->min_bytes, &seen->max_bytes, strings[i].size, key->sniffed == 0);
        seen->total_bytes += strings[i].size;
        if (key->sniffed == SNIFF_MAX) continue;
        key->sniffed++;
        if (strings[i].size) join_content(seen->content, content_of(seen, strings[i]));
    }
}

/* Strings are classes only where that key was asked for: any text could be meant otherwise. */
static stk_status add_classes(stk_inspect_schema *schema, stk_inspect_key *key, stk_dtype dtype,
                              const void *data, size_t count, stk_error *err)
{
    if (!key->is_label) return STK_OK;
    for (size_t i = 0; i < count && i < LABEL_VALUES; i++)
        if (dtype == STK_DTYPE_I64)
            STK_TRY(stk_tally_add(&key->tally, NULL, ((const int64_t *)data)[i], 1, err));
        else if (schema->label) {
            const stk_bytes text = ((const stk_bytes *)data)[i];
            STK_TRY(stk_tally_add(&key->tally, text.data, (int64_t)text.size, 1, err));
        }
    return STK_OK;
}

static stk_status add_value(stk_inspect_schema *schema, stk_inspect_values *values,
                            const stk_inspect_value *value, stk_error *err)
{
    const stk_feature_view *view = &value->view;
    stk_inspect_key        *key;
    const void             *data;
    size_t                  count;
    STK_TRY(find_key(schema, view->name, value->step != STK_STEP_NONE, &key, err));
    stk_inspect_feature *seen = &key->seen;
    if (key->last_record != schema->records + 1) seen->present++;
    key->last_record = schema->records + 1;
    if (value->step == STK_STEP_EMPTY) return STK_OK;
    add_range(&seen->min_count, &seen->max_count, view->count, !key->counted);
    key->counted = true;
    join_type(seen, view->dtype, false);
    const bool strings = view->dtype == STK_DTYPE_BYTES;
    if (!strings && !(key->is_label && view->dtype == STK_DTYPE_I64)) return STK_OK;
    STK_TRY(
        stk_inspect_decode(values, value, strings ? SIZE_MAX : LABEL_VALUES, &data, &count, err));
    if (strings) add_strings(key, data, count);
    return add_classes(schema, key, view->dtype, data, count, err);
}

stk_status stk_inspect_schema_add(stk_inspect_schema *schema, stk_inspect_values *values,
                                  stk_error *err)
{
    const size_t count = stk_inspect_values_count(values);
    schema->expected = 0;
    for (size_t i = 0; i < count; i++)
        STK_TRY(add_value(schema, values, stk_inspect_values_at(values, i), err));
    schema->records++;
    return STK_OK;
}

static stk_status merge_key(stk_inspect_schema *schema, const stk_inspect_key *other,
                            stk_error *err)
{
    stk_inspect_key *key;
    STK_TRY(find_key(schema, stk_bytes_of(other->seen.name, other->name_length),
                     other->seen.in_sequence, &key, err));
    stk_inspect_feature       *to = &key->seen;
    const stk_inspect_feature *from = &other->seen;
    if (other->counted) {
        add_range(&to->min_count, &to->max_count, from->min_count, !key->counted);
        add_range(&to->min_count, &to->max_count, from->max_count, false);
        key->counted = true;
    }
    if (other->sniffed) {
        add_range(&to->min_bytes, &to->max_bytes, from->min_bytes, key->sniffed == 0);
        add_range(&to->min_bytes, &to->max_bytes, from->max_bytes, false);
        if (from->content[0]) join_content(to->content, from->content);
        key->sniffed = 1;
    }
    join_type(to, from->dtype, from->mixed_types);
    to->present += from->present;
    to->total_bytes += from->total_bytes;
    return stk_tally_merge(&key->tally, &other->tally, err);
}

stk_status stk_inspect_schema_merge(stk_inspect_schema *schema, const stk_inspect_schema *other,
                                    stk_error *err)
{
    schema->expected = 0;
    for (size_t i = 0; i < stk_inspect_schema_count(other); i++)
        STK_TRY(merge_key(schema, stk_inspect_schema_at(other, i), err));
    schema->records += other->records;
    return STK_OK;
}

static bool has_classes(const stk_inspect_key *key)
{
    return key->is_label && key->tally.used && !key->tally.overflowed;
}

stk_inspect_key *stk_inspect_schema_label(const stk_inspect_schema *schema)
{
    static const char *const default_keys[] = {"label", "image/class/label", "image/label",
                                               "class"};
    const size_t             count = stk_inspect_schema_count(schema);
    for (size_t u = 0; u < sizeof default_keys / sizeof *default_keys && !schema->label; u++)
        for (size_t i = 0; i < count; i++) {
            stk_inspect_key *key = stk_inspect_schema_at(schema, i);
            if (!strcmp(key->seen.name, default_keys[u]) && has_classes(key) &&
                key->seen.max_count == 1)
                return key;
        }
    for (size_t i = 0; i < count; i++) {
        stk_inspect_key *key = stk_inspect_schema_at(schema, i);
        const bool       guess = key->seen.max_count == 1 && key->tally.used <= GUESSED_CLASSES;
        if (has_classes(key) && (schema->label || guess)) return key;
    }
    return NULL;
}
