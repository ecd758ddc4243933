/* map_batch: elements are computed for their batch, and the last one computed triggers its
 * assembly: no queue of single elements in between. */
#include "pipeline/operators/batch.h"
#include "pipeline/operators/fused_map.h"
#include "pipeline/passes/pass.h"
#include "pipeline/passes/pass_fuse.h"

/* Only a batch built over a map counts errors as elements, as the fused map does: batch.h. */
static stk_status rewrite(stk_dataset *data, bool root, stk_dataset **out, stk_error *err)
{
    (void)root;
    const stk_batch_params *batch = data->params;
    *out = NULL;
    if (data->op == &stk_operator_batch && batch->after_map &&
        data->inputs[0]->op == &stk_operator_fused_map) {
        const stk_fusible    of = stk_fusible_of(data->inputs[0]);
        stk_fused_map_params p = *(const stk_fused_map_params *)data->inputs[0]->params;
        p.batch = batch->size;
        p.drop_remainder = batch->drop_remainder;
        if (of.any && of.maps && !of.tests)
            STK_TRY(stk_fused_map_make(out, &p, data->inputs[0]->inputs[0], err));
    }
    if (!*out) *out = stk_dataset_ref(data);
    return STK_OK;
}

const stk_pass_info stk_pass_map_batch = {
    .pass = STK_PASS_MAP_BATCH, .name = "map_batch", .rewrite = rewrite};
