/* elements: given elements in order. */
#include "pipeline/runtime/elements.h"

#include "pipeline/element/spec.h"
#include "pipeline/operators/operators.h"
#include "pipeline/plan/element_hash.h"
#include "pipeline/runtime/run_node.h"

#include <inttypes.h>
#include <stdlib.h>
#include <stoker/dataset_sources.h>

typedef struct params {
    stk_element **elements;
    size_t        count;
    stk_dataset  *like; /* whose spec is theirs; NULL: their own */
} params;

typedef struct state {
    size_t given;
} state;

static void release_params(void *untyped)
{
    params *p = untyped;
    for (size_t i = 0; i < p->count; i++)
        stk_element_unref(p->elements[i]);
    free(p->elements);
    stk_dataset_unref(p->like);
}

static stk_status check(stk_dataset *data, stk_error *err)
{
    const params *p = data->params;
    if (p->like && p->like->spec.known) return stk_dataset_set_spec(data, &p->like->spec, err);
    if (p->count) STK_TRY(stk_spec_of_element(&data->spec, p->elements[0], &data->arena, err));
    for (size_t i = 1; i < p->count; i++)
        STK_TRY(stk_spec_relax_to(&data->spec, p->elements[i], "elements", err));
    return STK_OK;
}

static int64_t cardinality(const stk_dataset *data)
{
    return (int64_t)((const params *)data->params)->count;
}

/* By content, so that two lists with other values have other fingerprints. */
static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    const params *p = data->params;
    uint64_t      hash = p->count;
    for (size_t i = 0; i < p->count; i++)
        hash = stk_element_hash(hash, p->elements[i]);
    return stk_describe(out, err, "%zu, content %016" PRIx64, p->count, hash);
}

static stk_status at(const stk_dataset *data, uint64_t index, stk_ledger *ledger, stk_element **out,
                     stk_error *err)
{
    (void)ledger;
    const params *p = data->params;
    if (index >= p->count)
        return stk_fail(err, STK_E_RANGE, "elements", NULL,
                        "element %" PRIu64 " was asked for; there are %zu", index, p->count);
    *out = stk_element_ref(p->elements[index]);
    return STK_OK;
}

static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    (void)err;
    const params *p = node->plan->params;
    state        *s = STK_STATE(state, node);
    if (s->given < p->count) *out = stk_element_ref(p->elements[s->given++]);
    return STK_OK;
}

static stk_status discard(stk_node *node, uint64_t count, uint64_t *discarded, stk_error *err)
{
    (void)err;
    const params *p = node->plan->params;
    state        *s = STK_STATE(state, node);
    *discarded = count < p->count - s->given ? count : p->count - s->given;
    s->given += (size_t)*discarded;
    return STK_OK;
}

const stk_operator stk_operator_elements = {
    .name = "elements",
    .stage = STK_STAGE_READ,
    .traits = STK_OPERATOR_JUMPS,
    .params_bytes = sizeof(params),
    .release_params = release_params,
    .check = check,
    .cardinality = cardinality,
    .describe = describe,
    .at = at,
    .state_bytes = sizeof(state),
    .next = next,
    .discard = discard,
};

stk_status stk_elements_like(stk_dataset **out, stk_element *const *elements, size_t count,
                             stk_dataset *like, stk_error *err)
{
    *out = NULL;
    params p = {.elements = calloc(count ? count : 1, sizeof(stk_element *)), .count = count};
    if (!p.elements)
        return stk_fail(err, STK_E_NOMEM, "elements", NULL, "no memory for %zu elements", count);
    p.like = stk_dataset_ref(like);
    for (size_t i = 0; i < count; i++)
        p.elements[i] = stk_element_ref(elements[i]);
    return stk_dataset_make(out, &stk_operator_elements, &p, NULL, 0, err);
}

stk_status stk_dataset_elements(stk_dataset **out, stk_element *const *elements, size_t count,
                                stk_error *err)
{
    return stk_elements_like(out, elements, count, NULL, err);
}

stk_status stk_elements_save(const stk_dataset *data, stk_state_out *out, stk_error *err)
{
    if (data->op != &stk_operator_elements)
        return stk_fail(err, STK_E_UNSUPPORTED, data->op->name, NULL,
                        "a checkpoint cannot hold a dataset of %s that is itself an element",
                        data->op->name);
    const params *p = data->params;
    STK_TRY(stk_state_put_spec(out, p->like ? &p->like->spec : &(stk_element_spec){0}, err));
    STK_TRY(stk_state_put_u64(out, p->count, err));
    for (size_t i = 0; i < p->count; i++)
        STK_TRY(stk_state_put_element(out, p->elements[i], err));
    return STK_OK;
}

/* A dataset of nothing, to carry the spec. */
static stk_status restore_spec(stk_dataset **like, stk_state_in *in, stk_error *err)
{
    stk_element_spec spec;
    stk_arena        arena;
    *like = NULL;
    stk_arena_init(&arena, in->ledger, STK_MEMORY_INDEX);
    stk_status st = stk_state_get_spec(in, &spec, &arena, err);
    if (!st && spec.known) st = stk_dataset_elements(like, NULL, 0, err);
    if (!st && *like) st = stk_dataset_set_spec(*like, &spec, err);
    if (st) {
        stk_dataset_unref(*like);
        *like = NULL;
    }
    stk_arena_release(&arena);
    return st;
}

static stk_status restore_elements(params *p, stk_state_in *in, stk_error *err)
{
    uint64_t count;
    STK_TRY(stk_state_get_count(in, in->left.size, &count, err));
    p->elements = calloc(count ? count : 1, sizeof(stk_element *));
    if (!p->elements) return stk_fail(err, STK_E_NOMEM, "elements", NULL, "no memory for elements");
    for (uint64_t i = 0; i < count; i++) {
        STK_TRY(stk_state_get_element(in, &p->elements[i], err));
        if (!p->elements[i]) return stk_state_damaged(in, "an element is missing", err);
        p->count++;
        if (p->like && stk_spec_check(&p->like->spec, p->elements[i], in->component, NULL))
            return stk_state_damaged(in, "an element that is not like the others", err);
    }
    return STK_OK;
}

stk_status stk_elements_restore(stk_dataset **out, stk_state_in *in, bool without_spec,
                                stk_error *err)
{
    params p = {0};
    *out = NULL;
    stk_status st = without_spec ? STK_OK : restore_spec(&p.like, in, err);
    if (!st) st = restore_elements(&p, in, err);
    if (st) {
        release_params(&p);
        return st;
    }
    return stk_dataset_make(out, &stk_operator_elements, &p, NULL, 0, err);
}
