/* options: an operator without effect that carries options. */
#include "pipeline/operators/options.h"

#include "pipeline/runtime/run_node.h"

#include <inttypes.h>

static stk_status check(stk_dataset *data, stk_error *err)
{
    const stk_pipeline_options *p = data->params;
    if ((unsigned)p->order > STK_ORDER_RELAXED)
        return stk_fail(err, STK_E_INVALID, "options", NULL,
                        "the order is %u; it is 0 (default), 1 (exact) or 2 (relaxed)",
                        (unsigned)p->order);
    if (p->passes_off & ~(unsigned)STK_PASS_ALL)
        return stk_fail(err, STK_E_INVALID, "options", NULL,
                        "passes 0x%x are to be off; all that there are is 0x%x", p->passes_off,
                        (unsigned)STK_PASS_ALL);
    return stk_dataset_set_spec(data, &data->inputs[0]->spec, err);
}

static int64_t cardinality(const stk_dataset *data)
{
    return data->inputs[0]->cardinality;
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    static const char *const    orders[] = {"default", "exact", "relaxed"};
    const stk_pipeline_options *p = data->params;
    return stk_describe(out, err, "order %s, passes off 0x%x", orders[p->order], p->passes_off);
}

static stk_status at(const stk_dataset *data, uint64_t index, stk_ledger *ledger, stk_element **out,
                     stk_error *err)
{
    return stk_dataset_read(data->inputs[0], index, ledger, out, err);
}

static stk_status discard(stk_node *node, uint64_t count, uint64_t *discarded, stk_error *err)
{
    return stk_node_discard(node->inputs[0], count, discarded, err);
}

const stk_operator stk_operator_options = {
    .name = "options",
    .stage = STK_STAGE_PREPROCESS,
    .traits = STK_OPERATOR_JUMPS,
    .params_bytes = sizeof(stk_pipeline_options),
    .check = check,
    .cardinality = cardinality,
    .describe = describe,
    .at = at,
    .next = stk_node_pull,
    .save = stk_node_save_input,
    .restore = stk_node_restore_input,
    .discard = discard,
};

/* A loop along the first inputs: a chain may have thousands of operators. */
static void collect(const stk_dataset *data, stk_pipeline_options *found)
{
    for (; data; data = data->input_count ? data->inputs[0] : NULL) {
        if (data->op == &stk_operator_options) {
            const stk_pipeline_options *p = data->params;
            if (!found->order) found->order = p->order;
            if (!found->passes_off) found->passes_off = p->passes_off;
        }
        for (size_t i = 1; i < data->input_count; i++)
            collect(data->inputs[i], found);
    }
}

stk_pipeline_options stk_options_of(const stk_dataset *data)
{
    stk_pipeline_options found = {0};
    collect(data, &found);
    return found;
}

stk_status stk_dataset_options(stk_dataset **data, const stk_pipeline_options *options,
                               stk_error *err)
{
    const stk_pipeline_options p = options ? *options : (stk_pipeline_options){0};
    return stk_dataset_append(data, &stk_operator_options, &p, err);
}
