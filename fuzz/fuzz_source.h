/* Opens bytes as a source of one kind and reads all of it, within a small memory ceiling. A source
 * that opens must describe and read its items, or say why not. Header-only. */
#ifndef STK_FUZZ_SOURCE_H
#define STK_FUZZ_SOURCE_H

#include "memory_filesystem.h"

#include <stoker/source.h>

enum { FUZZ_CEILING = 64 << 20, FUZZ_MOST_ITEMS = 1000 };

static inline uint64_t fuzz_touch(const stk_sample *sample)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < sample->field_count; i++) {
        const stk_field *field = &sample->fields[i];
        const stk_bytes *bytes = field->data;
        const size_t     width = stk_dtype_bytes(field->dtype);
        for (size_t j = 0; j < field->count * width; j++)
            sum += ((const uint8_t *)field->data)[j];
        for (size_t j = 0; field->dtype == STK_DTYPE_BYTES && j < field->count; j++)
            for (size_t k = 0; k < bytes[j].size; k++)
                sum += bytes[j].data[k];
    }
    return sum;
}

static inline void fuzz_read_all(const stk_source *source)
{
    stk_error          err = {0};
    stk_source_cursor *cursor;
    const stk_sample  *sample;
    stk_source_item    item;
    size_t             count;
    (void)stk_source_features(source, &count);
    if (stk_source_cursor_new(&cursor, source, &err)) return;
    for (uint64_t i = 0; i < stk_source_count(source) && i < FUZZ_MOST_ITEMS; i++) {
        stk_source_item_at(source, i, &item);
        if (item.split >= stk_source_split_count(source)) abort();
        if (stk_source_read(cursor, i, &sample, &err)) {
            if (!err.message[0] || sample) abort();
            continue;
        }
        if (fuzz_touch(sample) == UINT64_MAX) abort(); /* so that the bytes are looked at */
    }
    stk_source_cursor_free(cursor);
}

static inline int fuzz_source(const char *path, const char *kind, const uint8_t *data, size_t size)
{
    stk_error         err = {0};
    stk_ledger       *ledger;
    stk_ledger_report report;
    stk_source       *source;
    memory_filesystem fs = memory_filesystem_of(path, stk_bytes_of(data, size));
    if (stk_ledger_new(&ledger, FUZZ_CEILING, &err)) abort();
    const stk_source_options options = {.kind = kind, .ledger = ledger};
    if (stk_source_open(&source, &fs.fs, path, &options, &err)) {
        if (!err.message[0] || source) abort();
    } else {
        fuzz_read_all(source);
        stk_source_free(source);
    }
    stk_ledger_read(ledger, &report);
    if (report.bytes) abort(); /* everything is given back */
    stk_ledger_unref(ledger);
    return 0;
}

#endif
