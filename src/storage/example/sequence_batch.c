/* Parses SequenceExamples. On the wire the context stands where an Example has its features and the
 * lists are a field that an Example does not know, so the context is parsed as an Example. */
#include "base/checked.h"
#include "storage/example/example_batch.h"
#include "storage/example/sequence_parser.h"
#include "storage/example/value_list.h"

#include <stdlib.h>

static const stk_bytes no_key = {NULL, 0};

typedef struct column {
    const stk_sequence_list *list;
    stk_bytes                found;       /* the FeatureList message; data NULL if none */
    stk_blob                 values;      /* all records' values one behind the other */
    stk_blob                 row_splits;  /* int64_t: where the steps of each record end */
    stk_blob                 step_splits; /* int64_t, varlen: where the values of each step end */
    size_t                   used;        /* values */
    size_t                   steps;
} column;

struct stk_sequence_batch {
    const stk_sequence_parser *parser;
    stk_example_batch         *context;
    column                    *columns; /* parser->count */
};

stk_status stk_sequence_batch_new(stk_sequence_batch **out, const stk_sequence_parser *parser,
                                  stk_ledger *ledger, stk_error *err)
{
    *out = NULL;
    stk_sequence_batch *batch = calloc(1, sizeof *batch);
    if (batch) batch->columns = calloc(parser->count ? parser->count : 1, sizeof batch->columns[0]);
    if (!batch || !batch->columns) {
        free(batch);
        return stk_fail(err, STK_E_NOMEM, "parse", NULL,
                        "no memory for a batch of %zu feature lists", parser->count);
    }
    batch->parser = parser;
    for (size_t i = 0; i < parser->count; i++) {
        batch->columns[i].list = &parser->lists[i];
        stk_blob_init(&batch->columns[i].values, ledger, STK_MEMORY_BATCH);
        stk_blob_init(&batch->columns[i].row_splits, ledger, STK_MEMORY_BATCH);
        stk_blob_init(&batch->columns[i].step_splits, ledger, STK_MEMORY_BATCH);
    }
    const stk_status st = stk_example_batch_new(&batch->context, parser->context, ledger, err);
    if (st) {
        stk_sequence_batch_free(batch);
        return st;
    }
    *out = batch;
    return STK_OK;
}

void stk_sequence_batch_free(stk_sequence_batch *batch)
{
    if (!batch) return;
    stk_example_batch_free(batch->context);
    for (size_t i = 0; i < batch->parser->count; i++) {
        stk_blob_release(&batch->columns[i].values);
        stk_blob_release(&batch->columns[i].row_splits);
        stk_blob_release(&batch->columns[i].step_splits);
    }
    free(batch->columns);
    free(batch);
}

static stk_status open_column(column *c, size_t count, stk_error *err)
{
    size_t bytes;
    if (stk_add_overflows(count, 1, &bytes) || stk_mul_overflows(bytes, sizeof(int64_t), &bytes))
        return stk_fail(err, STK_E_LIMIT, "parse", NULL, "%zu records do not fit in memory", count);
    c->used = c->steps = 0;
    STK_TRY(stk_blob_reserve(&c->row_splits, bytes, err));
    STK_TRY(stk_blob_reserve(&c->values, 1, err)); /* no values point somewhere too */
    STK_TRY(stk_blob_reserve(&c->step_splits, sizeof(int64_t), err));
    ((int64_t *)c->row_splits.data)[0] = 0;
    ((int64_t *)c->step_splits.data)[0] = 0;
    return STK_OK;
}

/* Remembers the last list of each wanted name. */
static stk_status walk_lists(stk_sequence_batch *batch, const stk_record_location *location,
                             stk_bytes lists, stk_error *err)
{
    stk_wire  wire = stk_wire_over(lists);
    stk_bytes message, key, value;
    while (stk_wire_next(&wire, 1, &message)) {
        stk_wire entry = stk_wire_over(message);
        if (!stk_wire_entry(&entry, &key, &value))
            return stk_record_fault(err, location, key.size ? key : no_key, &entry);
        const size_t index = stk_key_table_find(&batch->parser->names, key.data, key.size);
        if (index < batch->parser->count) batch->columns[index].found = value;
    }
    return wire.fault ? stk_record_fault(err, location, no_key, &wire) : STK_OK;
}

static stk_status walk_record(stk_sequence_batch *batch, const stk_record_location *location,
                              stk_error *err)
{
    stk_wire  wire = stk_wire_over(location->record);
    stk_bytes lists;
    for (size_t i = 0; i < batch->parser->count; i++)
        batch->columns[i].found = no_key;
    while (stk_wire_next(&wire, 2, &lists))
        STK_TRY(walk_lists(batch, location, lists, err));
    return wire.fault ? stk_record_fault(err, location, no_key, &wire) : STK_OK;
}

/* A step whose kind is unset has no values, whatever the type. */
static stk_status check_step(const stk_sequence_list *list, const stk_record_location *location,
                             size_t step, stk_dtype dtype, size_t count, stk_error *err)
{
    char shape[128];
    if (dtype && dtype != list->dtype)
        return stk_record_fail(err, STK_E_TYPE, location, list->name,
                               "step %zu: the data is of type %s but type %s is expected", step,
                               stk_value_list_name(dtype), stk_value_list_name(list->dtype));
    if (!list->varlen && count != list->step_values)
        return stk_record_fail(err, STK_E_SHAPE, location, list->name,
                               "step %zu: %zu %s values, expected %zu for shape %s", step, count,
                               stk_value_list_name(list->dtype), list->step_values,
                               stk_shape_text(&list->shape, shape, sizeof shape));
    return STK_OK;
}

static stk_status end_step(column *c, stk_error *err)
{
    c->steps++;
    if (!c->list->varlen) return STK_OK;
    int64_t *split = stk_values_grow(&c->step_splits, c->steps, 1, sizeof(int64_t), err);
    if (!split) return err ? err->status : STK_E_NOMEM;
    *split = (int64_t)c->used;
    return STK_OK;
}

static stk_status read_step(column *c, const stk_record_location *location, size_t step,
                            stk_bytes message, stk_error *err)
{
    const stk_sequence_list *list = c->list;
    stk_wire                 feature = stk_wire_over(message);
    stk_dtype                dtype;
    stk_bytes                encoded;
    size_t                   count = 0;
    if (!stk_value_list_find(&feature, &dtype, &encoded))
        return stk_record_fault(err, location, list->name, &feature);
    stk_wire counted = stk_wire_over(encoded), values = counted;
    if (dtype == list->dtype && !stk_value_list_count(&counted, dtype, &count))
        return stk_record_fault(err, location, list->name, &counted);
    STK_TRY(check_step(list, location, step, dtype, count, err));
    void *to = stk_values_grow(&c->values, c->used, count, list->element_bytes, err);
    if (!to) return err ? err->status : STK_E_NOMEM;
    if (!stk_value_list_read(&values, list->dtype, to, count, &count))
        return stk_record_fault(err, location, list->name, &values);
    c->used += count;
    return end_step(c, err);
}

static stk_status read_list(column *c, const stk_record_location *location, stk_error *err)
{
    if (!c->found.data) {
        if (c->list->allow_missing) return STK_OK;
        return stk_record_fail(err, STK_E_INVALID, location, c->list->name,
                               "the feature list (%s) is required but could not be found: allow "
                               "it to be missing or ask for another",
                               stk_value_list_name(c->list->dtype));
    }
    stk_wire  wire = stk_wire_over(c->found);
    stk_bytes message;
    for (size_t step = 0; stk_wire_next(&wire, 1, &message); step++)
        STK_TRY(read_step(c, location, step, message, err));
    return wire.fault ? stk_record_fault(err, location, c->list->name, &wire) : STK_OK;
}

stk_status stk_sequence_parse(stk_sequence_batch *batch, const stk_bytes *records, size_t count,
                              const char *const *names, stk_error *err)
{
    const size_t columns = batch->parser->count;
    STK_TRY(stk_example_parse(batch->context, records, count, names, err));
    for (size_t i = 0; i < columns; i++)
        STK_TRY(open_column(&batch->columns[i], count, err));
    for (size_t r = 0; r < count; r++) {
        const stk_record_location location = {records[r], r, names ? names[r] : NULL};
        STK_TRY(walk_record(batch, &location, err));
        for (size_t i = 0; i < columns; i++) {
            column *c = &batch->columns[i];
            STK_TRY(read_list(c, &location, err));
            ((int64_t *)c->row_splits.data)[r + 1] = (int64_t)c->steps;
        }
    }
    return STK_OK;
}

void stk_sequence_batch_context(const stk_sequence_batch *batch, size_t spec_index,
                                stk_feature_values *values)
{
    stk_example_batch_values(batch->context, spec_index, values);
}

void stk_sequence_batch_sequence(const stk_sequence_batch *batch, size_t spec_index,
                                 stk_sequence_values *values)
{
    const column *c = &batch->columns[spec_index];
    *values = (stk_sequence_values){.dtype = c->list->dtype,
                                    .data = stk_blob_bytes(&c->values).data,
                                    .count = c->used,
                                    .row_splits = (const int64_t *)c->row_splits.data,
                                    .step_values = c->list->step_values};
    if (c->list->varlen) values->step_splits = (const int64_t *)c->step_splits.data;
}
