/* Reads the record again: pipelines drop values that training does not need. */
#include "packed_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <stoker/example.h>
#include <stoker/tfrecord.h>
#include <string.h>

typedef struct wanted {
    char  *text;
    size_t capacity;
} wanted;

static stk_status take_name(void *context, const stk_feature_view *feature, stk_error *err)
{
    static const char key[] = "image/filename";
    const wanted     *w = context;
    stk_bytes         name;
    size_t            count = 0;
    if (!stk_bytes_equal(feature->name, stk_bytes_text(key)) || feature->dtype != STK_DTYPE_BYTES)
        return STK_OK;
    STK_TRY(stk_feature_decode_bytes(feature, &name, 1, &count, err));
    if (count) snprintf(w->text, w->capacity, "%.*s", (int)name.size, (const char *)name.data);
    return STK_OK;
}

static stk_status read_record(const char *path, const stk_origin *origin, stk_ledger *ledger,
                              wanted *w, stk_error *err)
{
    const stk_tfrecord_options options = {.ledger = ledger};
    stk_tfrecord_reader       *reader;
    stk_record                 record;
    STK_TRY(stk_tfrecord_reader_open(&reader, NULL, path, &options, err));
    stk_status st = stk_tfrecord_reader_seek(reader, origin->offset, origin->record, err);
    if (!st) st = stk_tfrecord_reader_next(reader, &record, err);
    if (!st && record.bytes.data) st = stk_example_visit(record.bytes, path, take_name, w, err);
    stk_tfrecord_reader_free(reader);
    return st;
}

static stk_status read_name(const char *path, const stk_origin *origin, uint64_t memory_bytes,
                            wanted *w, stk_error *err)
{
    stk_ledger *ledger;
    STK_TRY(stk_ledger_new(&ledger, memory_bytes, err));
    const stk_status st = read_record(path, origin, ledger, w, err);
    stk_ledger_unref(ledger);
    return st;
}

stk_status cli_packed_name(const stk_element *element, uint64_t memory_bytes, char *text,
                           size_t capacity, stk_error *err)
{
    const stk_origin *origin = stk_element_origin(element);
    wanted            w = {text, capacity};
    text[0] = '\0';
    if (!origin->file) return STK_OK;
    char *path =
        strndup((const char *)stk_buffer_data(origin->file), stk_buffer_size(origin->file));
    if (!path) return stk_fail(err, STK_E_NOMEM, "images", NULL, "no memory for a path");
    const stk_status st =
        strstr(path, "tfrecord") ? read_name(path, origin, memory_bytes, &w, err) : STK_OK;
    if (st) text[0] = '\0';
    free(path);
    return st;
}
