/* filter_fusion: consecutive filters become one operator, which runs in parallel. */
#include "pipeline/passes/pass.h"
#include "pipeline/passes/pass_fuse.h"

static stk_status rewrite(stk_dataset *data, bool root, stk_dataset **out, stk_error *err)
{
    (void)root;
    *out = NULL;
    const stk_fusible upper = stk_fusible_of(data);
    const stk_fusible lower = upper.any ? stk_fusible_of(data->inputs[0]) : (stk_fusible){0};
    if (lower.any && !upper.maps && !lower.maps) STK_TRY(stk_fuse(out, data, err));
    if (!*out) *out = stk_dataset_ref(data);
    return STK_OK;
}

const stk_pass_info stk_pass_filter_fusion = {
    .pass = STK_PASS_FILTER_FUSION, .name = "filter_fusion", .rewrite = rewrite};
