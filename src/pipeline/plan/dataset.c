/* Makes datasets, shares them, and copies them with other inputs. */
#include "base/hash.h"
#include "pipeline/element/spec.h"
#include "pipeline/plan/operator.h"

#include <stdio.h>
#include <stdlib.h>

struct stk_shared_params {
    uint32_t            references; /* atomic */
    const stk_operator *op;
    _Alignas(16) uint8_t bytes[];
};

stk_resource *stk_resource_ref(stk_resource *resource)
{
    if (resource) __atomic_fetch_add(&resource->references, 1, __ATOMIC_RELAXED);
    return resource;
}

void stk_resource_unref(stk_resource *resource)
{
    if (resource && !__atomic_sub_fetch(&resource->references, 1, __ATOMIC_ACQ_REL))
        resource->release(resource);
}

static void unref_params(stk_shared_params *params)
{
    if (!params || __atomic_sub_fetch(&params->references, 1, __ATOMIC_ACQ_REL)) return;
    if (params->op->release_params) params->op->release_params(params->bytes);
    free(params);
}

stk_dataset *stk_dataset_ref(stk_dataset *data)
{
    if (data) __atomic_fetch_add(&data->references, 1, __ATOMIC_RELAXED);
    return data;
}

static void free_one(stk_dataset *data)
{
    stk_resource_unref(data->resource);
    unref_params(data->shared);
    stk_arena_release(&data->arena);
    free(data->inputs);
    free(data);
}

/* A chain may have thousands of operators: freed in a loop along the first inputs. */
void stk_dataset_unref(stk_dataset *data)
{
    while (data && !__atomic_sub_fetch(&data->references, 1, __ATOMIC_ACQ_REL)) {
        stk_dataset *next = data->input_count ? data->inputs[0] : NULL;
        for (size_t i = 1; i < data->input_count; i++)
            stk_dataset_unref(data->inputs[i]);
        free_one(data);
        data = next;
    }
}

static stk_status new_params(stk_shared_params **out, const stk_operator *op, const void *params,
                             stk_error *err)
{
    stk_shared_params *shared = malloc(sizeof *shared + op->params_bytes);
    *out = shared;
    if (!shared) return stk_fail(err, STK_E_NOMEM, op->name, NULL, "no memory for a stage");
    shared->references = 1;
    shared->op = op;
    if (op->params_bytes) memcpy(shared->bytes, params, op->params_bytes);
    return STK_OK;
}

static uint64_t mix_text(uint64_t hash, const stk_blob *text)
{
    return stk_hash64(stk_hash64_number(hash, text->size), text->data ? text->data : (uint8_t *)"",
                      text->size);
}

static uint64_t mix_words(uint64_t hash, const stk_blob *text)
{
    if (!text->size) return hash;
    const char *at = (const char *)text->data, *end = at + text->size;
    while (at < end) {
        const char  *space = memchr(at, ' ', (size_t)(end - at));
        const size_t length = (size_t)((space ? space : end) - at);
        hash = stk_hash64(stk_hash64_number(hash, length), at, length);
        at = space ? space + 1 : end;
    }
    return hash;
}

static uint64_t salt_of(const stk_dataset *data, const stk_blob *text)
{
    uint64_t hash =
        data->input_count ? mix_text(data->input_count, text) : mix_words(data->input_count, text);
    for (size_t i = 0; i < data->input_count; i++)
        hash = stk_hash64_number(hash, data->inputs[i]->salt);
    return hash;
}

const char *stk_operator_identity(const stk_operator *op)
{
    return op->identity ? op->identity : op->name;
}

/* Neither it nor random numbers depend on where data lies. */
static stk_status take_fingerprint(stk_dataset *data, stk_error *err)
{
    stk_blob text;
    stk_blob_init(&text, NULL, STK_MEMORY_INDEX);
    const char *identity = stk_operator_identity(data->op);
    stk_status  st = stk_blob_append(&text, identity, strlen(identity) + 1, err);
    if (!st && data->op->describe) st = data->op->describe(data, &text, err);
    data->locations_hash = stk_describe_take_locations(&text);
    uint64_t hash = mix_text(data->input_count, &text);
    for (size_t i = 0; i < data->input_count; i++)
        hash = stk_hash64_number(hash, data->inputs[i]->fingerprint);
    data->fingerprint = hash;
    stk_describe_take_names(&text);
    if (!data->salt) data->salt = salt_of(data, &text);
    stk_blob_release(&text);
    return st;
}

/* Pulling, inspecting and freeing recurse over operators: a plan that is too deep is refused here,
 * before any of them runs out of stack. */
static stk_status take_depth(stk_dataset *data, stk_error *err)
{
    int below = 0;
    for (size_t i = 0; i < data->input_count; i++)
        if (data->inputs[i]->depth > below) below = data->inputs[i]->depth;
    data->depth = below + 1;
    if (data->depth <= STK_PLAN_DEPTH_MAX) return STK_OK;
    return stk_fail(err, STK_E_LIMIT, data->op->name, NULL,
                    "the pipeline has %d stages on top of each other; at most %d are possible: "
                    "join many inputs with one zip or sample_from, or use a map that does more",
                    data->depth, STK_PLAN_DEPTH_MAX);
}

/* Derives fields from parameters and inputs. */
static stk_status complete(stk_dataset *data, stk_error *err)
{
    const stk_operator *op = data->op;
    STK_TRY(take_depth(data, err));
    if (op->check) STK_TRY(op->check(data, err));
    data->cardinality = op->cardinality ? op->cardinality(data) : STK_CARDINALITY_UNKNOWN;
    data->traits = op->traits | (op->traits_of ? op->traits_of(data) : 0);
    data->jumps = data->traits & STK_OPERATOR_JUMPS;
    for (size_t i = 0; i < data->input_count; i++)
        data->jumps = data->jumps && data->inputs[i]->jumps;
    return take_fingerprint(data, err);
}

/* Takes over one reference to shared, also on failure. */
static stk_status build(stk_dataset **out, const stk_operator *op, stk_shared_params *shared,
                        const stk_dataset *like, stk_dataset *const *inputs, size_t input_count,
                        stk_error *err)
{
    *out = NULL;
    stk_dataset *data = calloc(1, sizeof *data);
    if (data) data->inputs = calloc(input_count ? input_count : 1, sizeof(stk_dataset *));
    if (!data || !data->inputs) {
        free(data);
        unref_params(shared);
        return stk_fail(err, STK_E_NOMEM, op->name, NULL, "no memory for a stage");
    }
    data->references = 1;
    data->op = op;
    data->shared = shared;
    data->params = shared->bytes;
    data->input_count = input_count;
    stk_arena_init(&data->arena, NULL, STK_MEMORY_INDEX);
    if (like) {
        data->resource = stk_resource_ref(like->resource);
        data->salt = like->salt;
    }
    for (size_t i = 0; i < input_count; i++)
        data->inputs[i] = stk_dataset_ref(inputs[i]);
    stk_status st = complete(data, err);
    if (st) {
        stk_dataset_unref(data);
        return st;
    }
    *out = data;
    return STK_OK;
}

stk_status stk_dataset_make(stk_dataset **out, const stk_operator *op, const void *params,
                            stk_dataset *const *inputs, size_t input_count, stk_error *err)
{
    *out = NULL;
    stk_shared_params *shared;
    stk_status         st = new_params(&shared, op, params, err);
    if (st) {
        /* The parameters were given away: they must not leak. release_params gets a non-const
         * pointer because it frees what they own. */
        if (op->release_params) op->release_params((void *)params);
        return st;
    }
    return build(out, op, shared, NULL, inputs, input_count, err);
}

stk_status stk_dataset_append(stk_dataset **data, const stk_operator *op, const void *params,
                              stk_error *err)
{
    stk_dataset *made;
    STK_TRY(stk_dataset_make(&made, op, params, data, 1, err));
    stk_dataset_unref(*data);
    *data = made;
    return STK_OK;
}

stk_status stk_dataset_with_inputs(stk_dataset **out, const stk_dataset *data,
                                   stk_dataset *const *inputs, stk_error *err)
{
    __atomic_fetch_add(&data->shared->references, 1, __ATOMIC_RELAXED);
    return build(out, data->op, data->shared, data, inputs, data->input_count, err);
}

stk_status stk_dataset_over(stk_dataset **out, const stk_dataset *data, stk_dataset *const *inputs,
                            stk_error *err)
{
    const stk_dataset like = {.salt = data->salt};
    __atomic_fetch_add(&data->shared->references, 1, __ATOMIC_RELAXED);
    return build(out, data->op, data->shared, &like, inputs, data->input_count, err);
}

stk_status stk_dataset_set_spec(stk_dataset *data, const stk_element_spec *spec, stk_error *err)
{
    return stk_spec_copy(&data->spec, spec, &data->arena, err);
}

stk_status stk_dataset_accepts(const stk_dataset *data, const stk_function *function,
                               const stk_element_spec *input, stk_error *err)
{
    if (err) err->where[0] = 0;
    stk_status st = stk_function_accepts(function, input, err);
    if (st && err && !err->where[0]) snprintf(err->where, sizeof err->where, "%s", data->op->name);
    return st;
}

stk_status stk_dataset_set_output(stk_dataset *data, const stk_function *function,
                                  const stk_element_spec *input, stk_error *err)
{
    const stk_function_info *info = stk_function_info_of(function);
    stk_element_spec         spec = {0};
    STK_TRY(stk_dataset_accepts(data, function, input, err));
    if (info->output_of)
        STK_TRY(info->output_of(info->context, input, &spec, err));
    else if (info->output)
        spec = *info->output;
    return stk_dataset_set_spec(data, &spec, err);
}

int64_t stk_dataset_cardinality(const stk_dataset *data)
{
    return data->cardinality;
}

const stk_element_spec *stk_dataset_spec(const stk_dataset *data)
{
    return &data->spec;
}

uint64_t stk_dataset_fingerprint(const stk_dataset *data)
{
    return data->fingerprint;
}

unsigned stk_dataset_traits_below(const stk_dataset *data)
{
    unsigned traits = data->traits;
    for (size_t i = 0; i < data->input_count; i++)
        traits |= stk_dataset_traits_below(data->inputs[i]);
    return traits;
}

stk_status stk_dataset_at(const stk_dataset *data, uint64_t index, stk_element **out,
                          stk_error *err)
{
    return stk_dataset_read(data, index, NULL, out, err);
}

stk_status stk_dataset_read(const stk_dataset *data, uint64_t index, stk_ledger *ledger,
                            stk_element **out, stk_error *err)
{
    *out = NULL;
    if (!data->op->at)
        return stk_fail(err, STK_E_UNSUPPORTED, data->op->name, NULL,
                        "elements cannot be had by number through %s; iterate instead",
                        data->op->name);
    return data->op->at(data, index, ledger, out, err);
}
