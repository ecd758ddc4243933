/* identity: the element as it is. */
#include "pipeline/functions/builtin.h"

static stk_status map(void *context, const stk_call *call, stk_element **element, stk_error *err)
{
    (void)context;
    (void)call;
    (void)element;
    (void)err;
    return STK_OK;
}

static stk_status output_of(void *context, const stk_element_spec *input, stk_element_spec *out,
                            stk_error *err)
{
    (void)context;
    (void)err;
    *out = *input;
    return STK_OK;
}

stk_status stk_function_identity(stk_function **out, stk_error *err)
{
    const stk_function_info info = {
        .name = "identity", .traits = STK_FUNCTION_SAFE, .output_of = output_of, .map = map};
    return stk_function_new(out, &info, err);
}
