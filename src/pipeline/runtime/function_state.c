/* Saves and restores the state of stateful functions. */
#include "pipeline/runtime/function_state.h"

stk_status stk_function_save(const stk_function *function, stk_state_out *out, stk_error *err)
{
    const stk_function_info *info = stk_function_info_of(function);
    if (!(info->traits & STK_FUNCTION_STATEFUL)) return STK_OK;
    if (!info->save || !info->restore)
        return stk_fail(err, STK_E_UNSUPPORTED, "checkpoint", info->name,
                        "the function has state but no save and restore; give it both");
    stk_blob blob;
    stk_blob_init(&blob, NULL, STK_MEMORY_INDEX);
    stk_status st = info->save(info->context, &blob, err);
    if (!st) st = stk_state_put_bytes(out, stk_blob_bytes(&blob), err);
    stk_blob_release(&blob);
    return st;
}

stk_status stk_function_restore(const stk_function *function, stk_state_in *in, stk_error *err)
{
    const stk_function_info *info = stk_function_info_of(function);
    if (!(info->traits & STK_FUNCTION_STATEFUL)) return STK_OK;
    stk_bytes saved;
    STK_TRY(stk_state_get_bytes(in, &saved, err));
    if (!info->restore)
        return stk_fail(err, STK_E_UNSUPPORTED, "checkpoint", info->name,
                        "the function has state but no restore");
    return info->restore(info->context, saved, err);
}
