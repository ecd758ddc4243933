/* Results of a parse: arrays made before, closed after. */
#include "storage/example/example_batch.h"

#include "base/checked.h"

#include <stdlib.h>

static stk_status too_large(const stk_example_feature *feature, size_t count, stk_error *err)
{
    char text[STK_KEY_TEXT];
    return stk_fail(err, STK_E_LIMIT, "parse", stk_key_text(feature->name, text),
                    "%zu records or rows of %zu values of %zu bytes do not fit in memory: use "
                    "smaller batches",
                    count, feature->stride, feature->element_bytes);
}

stk_status stk_example_batch_new(stk_example_batch **out, const stk_example_parser *parser,
                                 stk_ledger *ledger, stk_error *err)
{
    *out = NULL;
    stk_example_batch *batch = calloc(1, sizeof *batch);
    if (batch) batch->columns = calloc(parser->count ? parser->count : 1, sizeof batch->columns[0]);
    if (!batch || !batch->columns) {
        free(batch);
        return stk_fail(err, STK_E_NOMEM, "parse", NULL, "no memory for a batch of %zu features",
                        parser->count);
    }
    batch->parser = parser;
    for (size_t i = 0; i < parser->count; i++) {
        stk_example_column *column = &batch->columns[i];
        column->feature = &parser->features[i];
        batch->growing += column->feature->kind != STK_FEATURE_DENSE;
        stk_blob_init(&column->values, ledger, STK_MEMORY_BATCH);
        stk_blob_init(&column->splits, ledger, STK_MEMORY_BATCH);
        stk_blob_init(&column->padded, ledger, STK_MEMORY_BATCH);
    }
    *out = batch;
    return STK_OK;
}

void stk_example_batch_free(stk_example_batch *batch)
{
    if (!batch) return;
    for (size_t i = 0; i < batch->parser->count; i++) {
        stk_blob_release(&batch->columns[i].values);
        stk_blob_release(&batch->columns[i].splits);
        stk_blob_release(&batch->columns[i].padded);
    }
    free(batch->columns);
    free(batch);
}

void *stk_values_grow(stk_blob *blob, size_t used, size_t count, size_t size, stk_error *err)
{
    size_t end, bytes;
    if (stk_add_overflows(used, count, &end) || stk_mul_overflows(end, size, &bytes)) {
        stk_fail(err, STK_E_LIMIT, "parse", NULL, "%zu + %zu values do not fit in memory", used,
                 count);
        return NULL;
    }
    if (bytes > blob->capacity && stk_blob_reserve(blob, bytes, err)) return NULL;
    return blob->data + used * size;
}

/* Reserves count records. */
static stk_status open_column(stk_example_column *column, size_t count, stk_error *err)
{
    const stk_example_feature *feature = column->feature;
    size_t                     bytes;
    column->used = 0;
    column->is_padded = false;
    if (feature->kind == STK_FEATURE_DENSE) {
        if (stk_mul_overflows(feature->stride, feature->element_bytes, &bytes) ||
            stk_mul_overflows(bytes, count, &bytes))
            return too_large(feature, count, err);
        return stk_blob_reserve(&column->values, bytes ? bytes : 1, err);
    }
    STK_TRY(stk_blob_reserve(&column->values, 1, err)); /* an empty row points somewhere too */
    if (stk_add_overflows(count, 1, &bytes) || stk_mul_overflows(bytes, sizeof(int64_t), &bytes))
        return too_large(feature, count, err);
    STK_TRY(stk_blob_reserve(&column->splits, bytes, err));
    ((int64_t *)column->splits.data)[0] = 0;
    return STK_OK;
}

/* Brings growing columns back to where the record began, after a fast parse gave up half way. */
static void take_back(stk_example_batch *batch, size_t record)
{
    for (size_t i = 0; i < batch->parser->count; i++) {
        stk_example_column *column = &batch->columns[i];
        if (column->feature->kind != STK_FEATURE_DENSE)
            column->used = (size_t)((const int64_t *)column->splits.data)[record];
    }
}

static void end_rows(stk_example_batch *batch, size_t record)
{
    for (size_t i = 0; i < batch->parser->count; i++) {
        stk_example_column *column = &batch->columns[i];
        if (column->feature->kind != STK_FEATURE_DENSE)
            ((int64_t *)column->splits.data)[record + 1] = (int64_t)column->used;
    }
}

static void fill_values(uint8_t *dst, size_t count, const void *value, size_t size)
{
    switch (size) { /* with a size the compiler knows a copy is one instruction, not a call */
    case sizeof(float):
        for (size_t i = 0; i < count; i++)
            memcpy(dst + i * sizeof(float), value, sizeof(float));
        return;
    case sizeof(int64_t):
        for (size_t i = 0; i < count; i++)
            memcpy(dst + i * sizeof(int64_t), value, sizeof(int64_t));
        return;
    default:
        for (size_t i = 0; i < count; i++)
            memcpy(dst + i * size, value, size);
    }
}

/* Spreads rows of different lengths over a rectangle, the rest of each filled with the default. */
static stk_status pad_rows(stk_example_column *column, size_t records, size_t row_max,
                           stk_error *err)
{
    const stk_example_feature *feature = column->feature;
    const size_t               size = feature->element_bytes;
    const int64_t             *splits = (const int64_t *)column->splits.data;
    size_t                     row_bytes, bytes;
    if (stk_mul_overflows(row_max, size, &row_bytes) ||
        stk_mul_overflows(row_bytes, records, &bytes))
        return too_large(feature, records, err);
    STK_TRY(stk_blob_reserve(&column->padded, bytes, err));
    for (size_t r = 0; r < records; r++) {
        const size_t begin = (size_t)splits[r], count = (size_t)(splits[r + 1] - splits[r]);
        uint8_t     *row = column->padded.data + r * row_bytes;
        if (count) memcpy(row, column->values.data + begin * size, count * size);
        fill_values(row + count * size, row_max - count, feature->fill, size);
    }
    column->is_padded = true;
    return STK_OK;
}

/* Rows of one length lie as a rectangle already; only others are copied. */
static stk_status close_padded(stk_example_column *column, size_t records, stk_error *err)
{
    const int64_t *splits = (const int64_t *)column->splits.data;
    int64_t        row_max = 0;
    bool           even = true;
    for (size_t r = 0; r < records; r++) {
        const int64_t count = splits[r + 1] - splits[r];
        if (r && count != row_max) even = false;
        if (count > row_max) row_max = count;
    }
    column->rows = row_max / (int64_t)column->feature->stride;
    return even ? STK_OK : pad_rows(column, records, (size_t)row_max, err);
}

static stk_status parse_record(stk_example_batch *batch, const stk_record_location *location,
                               stk_error *err)
{
    const stk_fast_result result =
        stk_example_parse_fast(batch, location->record, location->index, err);
    if (result == STK_FAST_FAILED) return err ? err->status : STK_E_NOMEM;
    if (result == STK_FAST_DONE) return STK_OK;
    take_back(batch, location->index);
    return stk_example_parse_careful(batch, location, err);
}

stk_status stk_example_parse(stk_example_batch *batch, const stk_bytes *records, size_t count,
                             const char *const *names, stk_error *err)
{
    const size_t columns = batch->parser->count;
    batch->records = 0; /* after a failure the batch has no values */
    batch->duplicates = 0;
    for (size_t i = 0; i < columns; i++)
        STK_TRY(open_column(&batch->columns[i], count, err));
    for (size_t r = 0; r < count; r++) {
        const stk_record_location location = {records[r], r, names ? names[r] : NULL};
        STK_TRY(parse_record(batch, &location, err));
        if (batch->growing) end_rows(batch, r);
    }
    for (size_t i = 0; i < columns; i++)
        if (batch->columns[i].feature->kind == STK_FEATURE_DENSE_PADDED)
            STK_TRY(close_padded(&batch->columns[i], count, err));
    batch->records = count;
    return STK_OK;
}

/* before, then the feature's own dimensions. */
static stk_shape shape_behind(const int64_t *before, int count, const stk_shape *own)
{
    stk_shape shape = {.rank = count + own->rank};
    memcpy(shape.dim, before, (size_t)count * sizeof before[0]);
    memcpy(shape.dim + count, own->dim, (size_t)own->rank * sizeof own->dim[0]);
    return shape;
}

void stk_example_batch_values(const stk_example_batch *batch, size_t spec_index,
                              stk_feature_values *values)
{
    const stk_example_column  *column = &batch->columns[spec_index];
    const stk_example_feature *feature = column->feature;
    const int64_t              dims[2] = {(int64_t)batch->records, column->rows};
    const stk_blob            *data = column->is_padded ? &column->padded : &column->values;
    *values = (stk_feature_values){.dtype = feature->dtype};
    if (feature->kind == STK_FEATURE_VARLEN) {
        values->count = column->used;
        values->shape = stk_shape_1d((int64_t)column->used);
        values->splits = (const int64_t *)column->splits.data;
    } else if (feature->kind == STK_FEATURE_DENSE) {
        values->count = batch->records * feature->stride;
        values->shape = shape_behind(dims, 1, &feature->shape);
    } else {
        values->count = batch->records * (size_t)column->rows * feature->stride;
        values->shape = shape_behind(dims, 2, &feature->shape);
    }
    values->data = stk_blob_bytes(data).data;
}

uint64_t stk_example_batch_duplicates(const stk_example_batch *batch)
{
    return batch->duplicates;
}
