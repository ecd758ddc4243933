/* lower: maps that may run in parallel become fused_map. Cannot be switched off: it is how they
 * run. */
#include "pipeline/operators/fused_map.h"
#include "pipeline/operators/map.h"
#include "pipeline/passes/pass.h"

static stk_status rewrite(stk_dataset *data, bool root, stk_dataset **out, stk_error *err)
{
    (void)root;
    const stk_map_params *p = data->params;
    if (data->op != &stk_operator_map || p->parallel == 1 ||
        stk_function_info_of(p->function)->traits & STK_FUNCTION_STATEFUL) {
        *out = stk_dataset_ref(data);
        return STK_OK;
    }
    stk_fused_function         step = {.function = p->function, .salt = data->salt};
    const stk_fused_map_params fused = {
        .steps = &step, .count = 1, .parallel = p->parallel, .order = p->order};
    return stk_fused_map_make(out, &fused, data->inputs[0], err);
}

const stk_pass_info stk_pass_lower = {.name = "lower", .rewrite = rewrite};
