/* tensors: one element, once. */
#include "pipeline/element/spec.h"
#include "pipeline/operators/operators.h"
#include "pipeline/plan/element_hash.h"
#include "pipeline/runtime/run_node.h"

#include <inttypes.h>
#include <stoker/dataset_sources.h>

typedef struct params {
    stk_element *element; /* one reference */
} params;

static void release_params(void *untyped)
{
    stk_element_unref(((params *)untyped)->element);
}

static stk_status check(stk_dataset *data, stk_error *err)
{
    return stk_spec_of_element(&data->spec, ((const params *)data->params)->element, &data->arena,
                               err);
}

static int64_t cardinality(const stk_dataset *data)
{
    (void)data;
    return 1;
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    return stk_describe(out, err, "content %016" PRIx64,
                        stk_element_hash(0, ((const params *)data->params)->element));
}

static stk_status at(const stk_dataset *data, uint64_t index, stk_ledger *ledger, stk_element **out,
                     stk_error *err)
{
    (void)ledger;
    if (index)
        return stk_fail(err, STK_E_RANGE, "tensors", NULL,
                        "element %" PRIu64 " was asked for; there is only element 0", index);
    *out = stk_element_ref(((const params *)data->params)->element);
    return STK_OK;
}

static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    (void)err;
    bool *gave = STK_STATE(bool, node);
    if (!*gave) *out = stk_element_ref(STK_PARAMS(params, node)->element);
    *gave = true;
    return STK_OK;
}

const stk_operator stk_operator_tensors = {
    .name = "tensors",
    .stage = STK_STAGE_READ,
    .traits = STK_OPERATOR_JUMPS,
    .params_bytes = sizeof(params),
    .release_params = release_params,
    .check = check,
    .cardinality = cardinality,
    .describe = describe,
    .at = at,
    .state_bytes = sizeof(bool),
    .next = next,
};

stk_status stk_dataset_tensors(stk_dataset **out, const stk_element *element, stk_error *err)
{
    const params p = {.element = stk_element_ref(element)};
    return stk_dataset_make(out, &stk_operator_tensors, &p, NULL, 0, err);
}
