/* map_fusion: consecutive maps become one operator: one hand-over between threads instead of two.
 */
#include "pipeline/passes/pass.h"
#include "pipeline/passes/pass_fuse.h"

static stk_status rewrite(stk_dataset *data, bool root, stk_dataset **out, stk_error *err)
{
    (void)root;
    *out = NULL;
    const stk_fusible upper = stk_fusible_of(data);
    const stk_fusible lower = upper.any ? stk_fusible_of(data->inputs[0]) : (stk_fusible){0};
    if (lower.any && !upper.tests && !lower.tests) STK_TRY(stk_fuse(out, data, err));
    if (!*out) *out = stk_dataset_ref(data);
    return STK_OK;
}

const stk_pass_info stk_pass_map_fusion = {
    .pass = STK_PASS_MAP_FUSION, .name = "map_fusion", .rewrite = rewrite};
