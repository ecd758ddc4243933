/* parse_example: a serialized tf.train.Example becomes its features. */
#include "pipeline/functions/builtin.h"

#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    SLOTS = 32,                  /* parsers' scratch kept for the next call */
    KEPT_RECORD_BYTES = 1 << 18, /* what grew for a larger record is not kept */
    MOST_FEATURES = 4096
};

/* Scratch is outside the ledger: it holds one record's values, is bounded by the record that the
 * ledger has, and outlives the run whose ledger it would be in. */
typedef struct context {
    int                 value;
    stk_feature_spec   *specs; /* names and defaults are not used after the start */
    size_t              count;
    stk_example_parser *parser;
    stk_value_spec     *output;
    stk_arena           arena;
    stk_example_batch  *slots[SLOTS]; /* atomic: taken by exchange */
} context;

/* A thread begins at a place of its own, so that it mostly finds the scratch it used before: that
 * remembers what the last record looked like. */
static unsigned first_slot(void)
{
    static __thread char here;
    return (unsigned)((uintptr_t)&here >> 12) % SLOTS;
}

static stk_status take_batch(context *c, unsigned *slot, stk_example_batch **out, stk_error *err)
{
    *slot = first_slot();
    for (unsigned i = 0; i < SLOTS; i++) {
        stk_example_batch **place = &c->slots[(*slot + i) % SLOTS];
        if (!__atomic_load_n(place, __ATOMIC_RELAXED)) continue;
        *out = __atomic_exchange_n(place, NULL, __ATOMIC_ACQUIRE);
        if (*out) return STK_OK;
    }
    return stk_example_batch_new(out, c->parser, NULL, err);
}

static void give_back(context *c, unsigned slot, stk_example_batch *batch)
{
    for (unsigned i = 0; i < SLOTS && batch; i++) {
        stk_example_batch *none = NULL;
        if (__atomic_compare_exchange_n(&c->slots[(slot + i) % SLOTS], &none, batch, false,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED))
            batch = NULL;
    }
    stk_example_batch_free(batch);
}

/* A view where the bytes are the record's own; defaults are the parser's and are copied. */
static stk_status make_bytes(stk_value *made, stk_bytes bytes, stk_bytes record,
                             stk_buffer *storage, stk_ledger *ledger, stk_error *err)
{
    const bool inside = bytes.size && (uintptr_t)bytes.data >= (uintptr_t)record.data &&
                        (uintptr_t)bytes.data < (uintptr_t)record.data + record.size;
    if (!inside) return stk_value_bytes(made, ledger, bytes, err);
    stk_value_view(made, bytes, storage);
    return STK_OK;
}

static stk_status make_value(stk_value *made, const stk_feature_values *values, bool varlen,
                             stk_bytes record, stk_buffer *storage, stk_ledger *ledger,
                             stk_error *err)
{
    stk_shape shape = values->shape;
    if (!varlen) { /* without the batch's own dimension */
        shape.rank--;
        for (int i = 0; i < shape.rank; i++)
            shape.dim[i] = values->shape.dim[i + 1];
        shape.dim[shape.rank] = 0;
    }
    if (values->dtype == STK_DTYPE_BYTES)
        return shape.rank ? stk_value_strings(made, ledger, &shape, values->data, err)
                          : make_bytes(made, *(const stk_bytes *)values->data, record, storage,
                                       ledger, err);
    void *data;
    STK_TRY(stk_value_dense(made, ledger, values->dtype, &shape, &data, err));
    if (values->count) memcpy(data, values->data, values->count * stk_dtype_bytes(values->dtype));
    return STK_OK;
}

static stk_status make_element(const context *c, const stk_example_batch *batch,
                               const stk_value *from, const stk_call *call, stk_element *made,
                               stk_error *err)
{
    const stk_bytes record = *(const stk_bytes *)stk_value_data(from);
    for (size_t i = 0; i < c->count; i++) {
        stk_feature_values values;
        stk_example_batch_values(batch, i, &values);
        STK_TRY(make_value(stk_element_edit(made, i), &values,
                           c->specs[i].kind == STK_FEATURE_VARLEN, record, from->storage,
                           call->ledger, err));
    }
    return STK_OK;
}

static stk_status parse(context *c, const stk_call *call, const stk_value *from, stk_element *made,
                        stk_error *err)
{
    const stk_bytes    record = *(const stk_bytes *)stk_value_data(from);
    stk_example_batch *batch;
    unsigned           slot;
    STK_TRY(take_batch(c, &slot, &batch, err));
    stk_status st = stk_example_parse(batch, &record, 1, NULL, err);
    if (!st) st = make_element(c, batch, from, call, made, err);
    if (record.size > KEPT_RECORD_BYTES)
        stk_example_batch_free(batch);
    else
        give_back(c, slot, batch);
    return st;
}

static stk_status map(void *untyped, const stk_call *call, stk_element **element, stk_error *err)
{
    context         *c = stk_builtin_context(untyped);
    const stk_value *from;
    stk_element     *made;
    STK_TRY(stk_need_scalar("parse_example", *element, c->value, 1 << STK_DTYPE_BYTES, &from, err));
    STK_TRY(stk_element_new(&made, c->count, err));
    stk_status st = parse(c, call, from, made, err);
    if (st) {
        stk_element_unref(made);
        /* "record 0" of a batch of one tells nothing; the caller puts the element's place there. */
        if (err && err->where[0]) {
            char key[256], message[512];
            snprintf(key, sizeof key, "%s", err->where);
            snprintf(message, sizeof message, "%s", err->message);
            stk_element_where(*element, err->where, sizeof err->where);
            snprintf(err->message, sizeof err->message, "%s: %s", key, message);
        }
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
    for (unsigned i = 0; i < SLOTS; i++)
        stk_example_batch_free(c->slots[i]);
    stk_example_parser_free(c->parser);
    stk_arena_release(&c->arena);
}

static stk_shape output_shape(const stk_feature_spec *spec)
{
    if (spec->kind == STK_FEATURE_VARLEN) return stk_shape_1d(-1);
    if (spec->kind == STK_FEATURE_DENSE) return spec->shape;
    stk_shape shape = {.rank = spec->shape.rank + 1, .dim = {-1}};
    for (int i = 0; i < spec->shape.rank; i++)
        shape.dim[i + 1] = spec->shape.dim[i];
    return shape;
}

static stk_status prepare(context *c, const stk_feature_spec *specs, stk_error *err)
{
    STK_TRY(stk_example_parser_new(&c->parser, specs, c->count, err));
    c->specs = stk_arena_array(&c->arena, c->count + 1, sizeof *specs, err);
    c->output = stk_arena_array(&c->arena, c->count + 1, sizeof *c->output, err);
    if (!c->specs || !c->output) return STK_E_NOMEM;
    for (size_t i = 0; i < c->count; i++) {
        c->specs[i] = specs[i];
        c->output[i] = (stk_value_spec){
            .name = stk_arena_text(&c->arena, specs[i].name, strlen(specs[i].name), err),
            .dtype = specs[i].dtype,
            .rank_known = true};
        if (!c->output[i].name) return STK_E_NOMEM;
        if (specs[i].kind == STK_FEATURE_DENSE_PADDED && specs[i].shape.rank >= STK_MAX_RANK)
            return stk_fail(err, STK_E_SHAPE, "parse_example", specs[i].name,
                            "a padded feature of rank %d would have rank %d; at most %d is "
                            "possible",
                            specs[i].shape.rank, specs[i].shape.rank + 1, STK_MAX_RANK);
        c->output[i].shape = output_shape(&specs[i]);
    }
    return STK_OK;
}

/* Two parsers that give other values must differ in this number. */
static uint64_t hash_specs(const stk_feature_spec *specs, size_t count)
{
    uint64_t hash = count;
    for (size_t i = 0; i < count; i++) {
        const stk_feature_spec *spec = &specs[i];
        hash = stk_hash64(hash, spec->name, strlen(spec->name) + 1);
        hash = stk_hash64_number(hash, (uint64_t)spec->kind << 8 | (uint64_t)spec->dtype);
        hash = stk_hash64_number(hash, (uint64_t)spec->shape.rank);
        for (int d = 0; d < spec->shape.rank; d++)
            hash = stk_hash64_number(hash, (uint64_t)spec->shape.dim[d]);
        const size_t defaults = spec->has_default ? spec->default_count : 0;
        hash = stk_hash64_number(hash, defaults);
        for (size_t k = 0; k < defaults && spec->dtype == STK_DTYPE_BYTES; k++)
            hash = stk_hash64(hash, ((const stk_bytes *)spec->default_value)[k].data,
                              ((const stk_bytes *)spec->default_value)[k].size);
        if (defaults && spec->dtype != STK_DTYPE_BYTES)
            hash = stk_hash64(hash, spec->default_value, defaults * stk_dtype_bytes(spec->dtype));
    }
    return hash;
}

stk_status stk_function_parse_example(stk_function **out, int value, const stk_feature_spec *specs,
                                      size_t count, stk_error *err)
{
    *out = NULL;
    if (!count || count > MOST_FEATURES)
        return stk_fail(err, STK_E_INVALID, "parse_example", NULL,
                        "%zu features were asked for; give 1 to %d", count, MOST_FEATURES);
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
