/* parse_example: a serialized tf.train.Example becomes its features. */
#include "pipeline/functions/parsed_features.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Scratch is outside the ledger: it holds one record's values, is bounded by the record that the
 * ledger has, and outlives the run whose ledger it would be in. */
typedef struct context {
    int                 value;
    stk_feature_spec   *specs; /* names and defaults are not used after the start */
    size_t              count;
    stk_example_parser *parser;
    stk_value_spec     *output;
    stk_arena           arena;
    stk_scratch_slots   scratch; /* stk_example_batch */
} context;

static stk_status make_element(const context *c, const stk_example_batch *batch,
                               const stk_parsed_record *record, stk_element *made, stk_error *err)
{
    for (size_t i = 0; i < c->count; i++) {
        stk_feature_values values;
        stk_example_batch_values(batch, i, &values);
        STK_TRY(
            stk_parsed_feature(stk_element_edit(made, i), &values, c->specs[i].kind, record, err));
    }
    return STK_OK;
}

static stk_status parse(context *c, const stk_parsed_record *record, stk_element *made,
                        stk_error *err)
{
    unsigned           slot;
    stk_example_batch *batch = stk_scratch_take(&c->scratch, &slot);
    if (!batch) STK_TRY(stk_example_batch_new(&batch, c->parser, NULL, err));
    stk_status st = stk_example_parse(batch, &record->bytes, 1, NULL, err);
    if (!st) st = make_element(c, batch, record, made, err);
    if (record->bytes.size <= STK_SCRATCH_RECORD_BYTES)
        batch = stk_scratch_give(&c->scratch, slot, batch);
    stk_example_batch_free(batch);
    return st;
}

static stk_status map(void *untyped, const stk_call *call, stk_element **element, stk_error *err)
{
    context         *c = stk_builtin_context(untyped);
    const stk_value *from;
    stk_element     *made;
    STK_TRY(stk_need_scalar("parse_example", *element, c->value, 1 << STK_DTYPE_BYTES, &from, err));
    STK_TRY(stk_element_new(&made, c->count, err));
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
    STK_TRY(stk_check_scalar("parse_example", input, c->value, 1 << STK_DTYPE_BYTES, err));
    *out = (stk_element_spec){.known = true, .count = c->count, .values = c->output};
    return STK_OK;
}

static void release(void *untyped)
{
    context *c = untyped;
    for (unsigned i = 0; i < STK_SCRATCH_SLOTS; i++)
        stk_example_batch_free(c->scratch.slots[i]);
    stk_example_parser_free(c->parser);
    stk_arena_release(&c->arena);
}

static stk_status prepare(context *c, const stk_feature_spec *specs, stk_error *err)
{
    STK_TRY(stk_example_parser_new(&c->parser, specs, c->count, err));
    c->specs = stk_arena_array(&c->arena, c->count + 1, sizeof *specs, err);
    c->output = stk_arena_array(&c->arena, c->count + 1, sizeof *c->output, err);
    if (!c->specs || !c->output) return STK_E_NOMEM;
    for (size_t i = 0; i < c->count; i++) {
        c->specs[i] = specs[i];
        STK_TRY(stk_parsed_feature_spec(&c->output[i], &specs[i], "parse_example", &c->arena, err));
    }
    return STK_OK;
}

static uint64_t hash_specs(const stk_feature_spec *specs, size_t count)
{
    uint64_t hash = count;
    for (size_t i = 0; i < count; i++)
        hash = stk_parsed_feature_hash(hash, &specs[i]);
    return hash;
}

stk_status stk_function_parse_example(stk_function **out, int value, const stk_feature_spec *specs,
                                      size_t count, stk_error *err)
{
    *out = NULL;
    if (!count || count > STK_MOST_FEATURES)
        return stk_fail(err, STK_E_INVALID, "parse_example", NULL,
                        "%zu features were asked for; give 1 to %d", count, STK_MOST_FEATURES);
    context c = {.value = value, .count = count};
    stk_arena_init(&c.arena, NULL, STK_MEMORY_INDEX);
    stk_status st = prepare(&c, specs, err);
    if (st) {
        release(&c);
        return st;
    }
    char details[96];
    snprintf(details, sizeof details, "value %d, %zu features %016" PRIx64, value, count,
             hash_specs(specs, count));
    const stk_function_info info = {
        .name = "parse_example", .details = details, .output_of = output_of, .map = map};
    return stk_builtin_new(out, &info, &c, sizeof c, release, err);
}
