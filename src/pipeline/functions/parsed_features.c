/* Features that were parsed, as values. */
#include "pipeline/functions/parsed_features.h"

#include "base/hash.h"

#include <stdio.h>

/* A thread begins at a place of its own, so that it mostly finds the scratch it used before: that
 * remembers what the last record looked like. */
static unsigned first_slot(void)
{
    static __thread char here;
    return (unsigned)((uintptr_t)&here >> 12) % STK_SCRATCH_SLOTS;
}

void *stk_scratch_take(stk_scratch_slots *scratch, unsigned *slot)
{
    *slot = first_slot();
    for (unsigned i = 0; i < STK_SCRATCH_SLOTS; i++) {
        void **place = &scratch->slots[(*slot + i) % STK_SCRATCH_SLOTS];
        if (!__atomic_load_n(place, __ATOMIC_RELAXED)) continue;
        void *taken = __atomic_exchange_n(place, NULL, __ATOMIC_ACQUIRE);
        if (taken) return taken;
    }
    return NULL;
}

void *stk_scratch_give(stk_scratch_slots *scratch, unsigned slot, void *given)
{
    for (unsigned i = 0; i < STK_SCRATCH_SLOTS && given; i++) {
        void *none = NULL;
        if (__atomic_compare_exchange_n(&scratch->slots[(slot + i) % STK_SCRATCH_SLOTS], &none,
                                        given, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
            given = NULL;
    }
    return given;
}

/* A view where the bytes are the record's own; defaults are the parser's and are copied. */
static stk_status make_bytes(stk_value *made, stk_bytes bytes, const stk_parsed_record *record,
                             stk_error *err)
{
    const uintptr_t begin = (uintptr_t)record->bytes.data, at = (uintptr_t)bytes.data;
    const bool      inside = bytes.size && at >= begin && at < begin + record->bytes.size;
    if (!inside) return stk_value_bytes(made, record->ledger, bytes, err);
    stk_value_view(made, bytes, record->storage);
    return STK_OK;
}

stk_status stk_parsed_feature(stk_value *made, const stk_feature_values *values,
                              stk_feature_kind kind, const stk_parsed_record *record,
                              stk_error *err)
{
    stk_shape shape = values->shape;
    if (kind != STK_FEATURE_VARLEN) { /* without the batch's own dimension */
        shape.rank--;
        for (int i = 0; i < shape.rank; i++)
            shape.dim[i] = values->shape.dim[i + 1];
        shape.dim[shape.rank] = 0;
    }
    if (values->dtype == STK_DTYPE_BYTES)
        return shape.rank ? stk_value_strings(made, record->ledger, &shape, values->data, err)
                          : make_bytes(made, *(const stk_bytes *)values->data, record, err);
    void *data;
    STK_TRY(stk_value_dense(made, record->ledger, values->dtype, &shape, &data, err));
    if (values->count) memcpy(data, values->data, values->count * stk_dtype_bytes(values->dtype));
    return STK_OK;
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

stk_status stk_parsed_feature_spec(stk_value_spec *out, const stk_feature_spec *spec,
                                   const char *component, stk_arena *arena, stk_error *err)
{
    *out = (stk_value_spec){.name = stk_arena_text(arena, spec->name, strlen(spec->name), err),
                            .dtype = spec->dtype,
                            .rank_known = true};
    if (!out->name) return STK_E_NOMEM;
    if (spec->kind == STK_FEATURE_DENSE_PADDED && spec->shape.rank >= STK_MAX_RANK)
        return stk_fail(err, STK_E_SHAPE, component, spec->name,
                        "a padded feature of rank %d would have rank %d; at most %d is possible",
                        spec->shape.rank, spec->shape.rank + 1, STK_MAX_RANK);
    out->shape = output_shape(spec);
    return STK_OK;
}

uint64_t stk_parsed_feature_hash(uint64_t hash, const stk_feature_spec *spec)
{
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
    return hash;
}

void stk_parsed_locate(const stk_element *element, stk_error *err)
{
    if (!err || !err->where[0]) return;
    char key[256], message[512];
    snprintf(key, sizeof key, "%s", err->where);
    snprintf(message, sizeof message, "%s", err->message);
    stk_element_where(element, err->where, sizeof err->where);
    snprintf(err->message, sizeof err->message, "%s: %s", key, message);
}
