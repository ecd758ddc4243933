/* parse_sequence_example: a serialized tf.train.SequenceExample becomes its context and its lists.
 */
#include "base/hash.h"
#include "pipeline/functions/parsed_features.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Scratch is outside the ledger, as that of parse_example is. */
typedef struct context {
    int                  value;
    stk_feature_kind    *kinds; /* of the context's features */
    stk_sequence_spec   *lists; /* names are not used after the start */
    size_t               context_count, list_count;
    stk_sequence_parser *parser;
    stk_value_spec      *output;
    stk_arena            arena;
    stk_scratch_slots    scratch; /* stk_sequence_batch */
} context;

/* Steps below each other; with varlen as rows of different length. */
static stk_status make_list(stk_value *made, const stk_sequence_values *values,
                            const stk_sequence_spec *list, stk_ledger *ledger, stk_error *err)
{
    const int64_t steps = values->row_splits[1];
    if (list->varlen) {
        const stk_value flat = {.kind = STK_VALUE_DENSE,
                                .dtype = values->dtype,
                                .shape = stk_shape_1d((int64_t)values->count),
                                .data = values->data};
        return stk_value_ragged(made, ledger, &flat, values->step_splits, (size_t)steps + 1, steps,
                                1, err);
    }
    stk_shape shape = {.rank = list->shape.rank + 1, .dim = {steps}};
    for (int d = 0; d < list->shape.rank; d++)
        shape.dim[d + 1] = list->shape.dim[d];
    if (values->dtype == STK_DTYPE_BYTES)
        return stk_value_strings(made, ledger, &shape, values->data, err);
    void *data;
    STK_TRY(stk_value_dense(made, ledger, values->dtype, &shape, &data, err));
    if (values->count) memcpy(data, values->data, values->count * stk_dtype_bytes(values->dtype));
    return STK_OK;
}

static stk_status make_element(const context *c, const stk_sequence_batch *batch,
                               const stk_parsed_record *record, stk_element *made, stk_error *err)
{
    for (size_t i = 0; i < c->context_count; i++) {
        stk_feature_values values;
        stk_sequence_batch_context(batch, i, &values);
        STK_TRY(stk_parsed_feature(stk_element_edit(made, i), &values, c->kinds[i], record, err));
    }
    for (size_t i = 0; i < c->list_count; i++) {
        stk_sequence_values values;
        stk_sequence_batch_sequence(batch, i, &values);
        STK_TRY(make_list(stk_element_edit(made, c->context_count + i), &values, &c->lists[i],
                          record->ledger, err));
    }
    return STK_OK;
}

static stk_status parse(context *c, const stk_parsed_record *record, stk_element *made,
                        stk_error *err)
{
    unsigned            slot;
    stk_sequence_batch *batch = stk_scratch_take(&c->scratch, &slot);
    if (!batch) STK_TRY(stk_sequence_batch_new(&batch, c->parser, NULL, err));
    stk_status st = stk_sequence_parse(batch, &record->bytes, 1, NULL, err);
    if (!st) st = make_element(c, batch, record, made, err);
    if (record->bytes.size <= STK_SCRATCH_RECORD_BYTES)
        batch = stk_scratch_give(&c->scratch, slot, batch);
    stk_sequence_batch_free(batch);
    return st;
}

static stk_status map(void *untyped, const stk_call *call, stk_element **element, stk_error *err)
{
    context         *c = stk_builtin_context(untyped);
    const stk_value *from;
    stk_element     *made;
    STK_TRY(stk_need_scalar("parse_sequence_example", *element, c->value, 1 << STK_DTYPE_BYTES,
                            &from, err));
    STK_TRY(stk_element_new(&made, c->context_count + c->list_count, err));
    const stk_parsed_record record = {*(const stk_bytes *)stk_value_data(from), from->storage,
                                      call->ledger};
    stk_status              st = parse(c, &record, made, err);
    if (st) {
        stk_element_unref(made);
        stk_parsed_locate(*element, err);
        return st;
    }
    stk_element_set_origin(made, stk_element_origin(*element));
    stk_element_unref(*element);
    *element = made;
    return STK_OK;
}

static stk_status output_of(void *untyped, const stk_element_spec *input, stk_element_spec *out,
                            stk_error *err)
{
    const context *c = stk_builtin_context(untyped);
    STK_TRY(stk_check_scalar("parse_sequence_example", input, c->value, 1 << STK_DTYPE_BYTES, err));
    *out = (stk_element_spec){
        .known = true, .count = c->context_count + c->list_count, .values = c->output};
    return STK_OK;
}

static void release(void *untyped)
{
    context *c = untyped;
    for (unsigned i = 0; i < STK_SCRATCH_SLOTS; i++)
        stk_sequence_batch_free(c->scratch.slots[i]);
    stk_sequence_parser_free(c->parser);
    stk_arena_release(&c->arena);
}

static stk_status list_spec(stk_value_spec *out, const stk_sequence_spec *list, stk_arena *arena,
                            stk_error *err)
{
    *out = (stk_value_spec){.name = stk_arena_text(arena, list->name, strlen(list->name), err),
                            .kind = list->varlen ? STK_VALUE_RAGGED : STK_VALUE_DENSE,
                            .dtype = list->dtype,
                            .rank_known = true,
                            .shape = stk_shape_1d(-1),
                            .ragged = list->varlen};
    if (!out->name) return STK_E_NOMEM;
    if (list->varlen) return STK_OK;
    if (list->shape.rank >= STK_MAX_RANK)
        return stk_fail(err, STK_E_SHAPE, "parse_sequence_example", list->name,
                        "a list of steps of rank %d would have rank %d; at most %d is possible",
                        list->shape.rank, list->shape.rank + 1, STK_MAX_RANK);
    out->shape.rank = list->shape.rank + 1;
    for (int d = 0; d < list->shape.rank; d++)
        out->shape.dim[d + 1] = list->shape.dim[d];
    return STK_OK;
}

static stk_status prepare(context *c, const stk_feature_spec *features,
                          const stk_sequence_spec *lists, stk_error *err)
{
    const size_t count = c->context_count + c->list_count;
    STK_TRY(
        stk_sequence_parser_new(&c->parser, features, c->context_count, lists, c->list_count, err));
    c->kinds = stk_arena_array(&c->arena, c->context_count + 1, sizeof *c->kinds, err);
    c->lists = stk_arena_array(&c->arena, c->list_count + 1, sizeof *c->lists, err);
    c->output = stk_arena_array(&c->arena, count, sizeof *c->output, err);
    if (!c->kinds || !c->lists || !c->output) return STK_E_NOMEM;
    for (size_t i = 0; i < c->context_count; i++) {
        c->kinds[i] = features[i].kind;
        STK_TRY(stk_parsed_feature_spec(&c->output[i], &features[i], "parse_sequence_example",
                                        &c->arena, err));
    }
    for (size_t i = 0; i < c->list_count; i++) {
        c->lists[i] = lists[i];
        STK_TRY(list_spec(&c->output[c->context_count + i], &lists[i], &c->arena, err));
    }
    return STK_OK;
}

static uint64_t hash_specs(const stk_feature_spec *features, size_t feature_count,
                           const stk_sequence_spec *lists, size_t list_count)
{
    uint64_t hash = feature_count;
    for (size_t i = 0; i < feature_count; i++)
        hash = stk_parsed_feature_hash(hash, &features[i]);
    for (size_t i = 0; i < list_count; i++) {
        const stk_sequence_spec *list = &lists[i];
        const int                rank = list->varlen ? 0 : list->shape.rank;
        hash = stk_hash64(hash, list->name, strlen(list->name) + 1);
        hash = stk_hash64_number(hash, (uint64_t)list->dtype << 2 | (uint64_t)list->varlen << 1 |
                                           (uint64_t)list->allow_missing);
        hash = stk_hash64_number(hash, (uint64_t)rank);
        for (int d = 0; d < rank; d++)
            hash = stk_hash64_number(hash, (uint64_t)list->shape.dim[d]);
    }
    return hash;
}

stk_status stk_function_parse_sequence_example(stk_function **out, int value,
                                               const stk_feature_spec *features,
                                               size_t feature_count, const stk_sequence_spec *lists,
                                               size_t list_count, stk_error *err)
{
    *out = NULL;
    if (feature_count > STK_MOST_FEATURES || list_count > STK_MOST_FEATURES ||
        !(feature_count + list_count) || feature_count + list_count > STK_MOST_FEATURES)
        return stk_fail(err, STK_E_INVALID, "parse_sequence_example", NULL,
                        "%zu features and %zu lists were asked for; give 1 to %d in all",
                        feature_count, list_count, STK_MOST_FEATURES);
    context c = {.value = value, .context_count = feature_count, .list_count = list_count};
    stk_arena_init(&c.arena, NULL, STK_MEMORY_INDEX);
    stk_status st = prepare(&c, features, lists, err);
    if (st) {
        release(&c);
        return st;
    }
    char details[128];
    snprintf(details, sizeof details, "value %d, %zu features and %zu lists %016" PRIx64, value,
             feature_count, list_count, hash_specs(features, feature_count, lists, list_count));
    const stk_function_info info = {
        .name = "parse_sequence_example", .details = details, .output_of = output_of, .map = map};
    return stk_builtin_new(out, &info, &c, sizeof c, release, err);
}
