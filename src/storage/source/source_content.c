/* The content hash of a source: relative names, and some bytes for caches. */
#include "storage/source/source_content.h"

#include "base/hash.h"
#include "storage/source/source_internal.h"

#include <string.h>

enum { LOOKED_INTO = 8, HEAD_BYTES = 4096 };

static uint64_t mix_text(uint64_t hash, const char *text)
{
    return stk_hash64(hash, text, strlen(text) + 1);
}

uint64_t stk_source_names(const stk_source *source)
{
    return source->names;
}

uint64_t stk_source_labels(const stk_source *source)
{
    return source->labels;
}

void stk_source_hash_names(stk_source *source)
{
    uint64_t names = source->count, labels = source->count;
    for (size_t i = 0; i < source->split_count; i++)
        names = mix_text(names, source->splits[i]);
    for (uint64_t i = 0; i < source->count; i++) {
        stk_source_item item;
        source->importer->item(source, i, &item);
        labels = stk_hash64_number(labels, (uint64_t)item.label << 32 ^ item.split);
        names = item.record ? stk_hash64_number(names, item.record) : mix_text(names, item.name);
    }
    source->names = stk_hash64_number(names, labels);
    source->labels = labels;
}

static uint64_t mix_sizes(const stk_source *source, uint64_t hash)
{
    for (uint64_t i = 0; i < source->count; i++) {
        stk_source_item item;
        source->importer->item(source, i, &item);
        hash = stk_hash64_number(hash, item.bytes);
    }
    return hash;
}

static uint64_t mix_bytes(uint64_t hash, const void *data, size_t size)
{
    return stk_hash64(hash, data, size < HEAD_BYTES ? size : HEAD_BYTES);
}

static uint64_t mix_sample(uint64_t hash, const stk_sample *sample)
{
    for (size_t i = 0; i < sample->field_count; i++) {
        const stk_field *field = &sample->fields[i];
        const size_t     each = stk_dtype_bytes(field->dtype);
        const stk_bytes *text = field->data;
        if (field->dtype == STK_DTYPE_BYTES)
            hash = field->count ? mix_bytes(hash, text->data, text->size) : hash;
        else
            hash = mix_bytes(hash, field->data, field->count * each);
    }
    return hash;
}

/* Whether the failure says something about the item, not about the machine. */
static bool is_of_item(stk_status st)
{
    return st && !stk_status_is_environment(st);
}

stk_status stk_source_content(const stk_source *source, uint64_t *hash, bool *incomplete,
                              stk_error *err)
{
    const uint64_t     every = source->count / LOOKED_INTO + 1;
    stk_source_cursor *cursor;
    stk_status         st = STK_OK;
    *hash = mix_sizes(source, stk_hash64_number(*hash, stk_source_names(source)));
    STK_TRY(stk_source_cursor_new(&cursor, source, err));
    for (uint64_t i = 0; i < source->count && !st; i += every) {
        const stk_sample *sample;
        st = stk_source_read(cursor, i, &sample, err);
        if (!st) *hash = mix_sample(*hash, sample);
    }
    stk_source_cursor_free(cursor);
    if (!is_of_item(st)) return st;
    *incomplete = true;
    return STK_OK;
}
