/* Resampling parameters. */
#include "image/ops/sampling.h"

stk_status stk_sampling_check(const char *op, const stk_sampling_params *params, stk_error *err)
{
    if (params->like != STK_RESIZE_OPENCV || !params->antialias) return STK_OK;
    return stk_fail(err, STK_E_INVALID, op, "antialias",
                    "OpenCV never antialiases: leave antialias out, or take like=pil or like=tf");
}

stk_sampling stk_sampling_of(const stk_sampling_params *params)
{
    return (stk_sampling){.filter = (stk_filter)params->filter,
                          .like = (stk_resize_like)params->like,
                          .antialias = params->antialias};
}
