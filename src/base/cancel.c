/* The cancel token: one atomic word. */
#include <stddef.h>
#include <stoker/cancel.h>

void stk_cancel_request(stk_cancel *token)
{
    __atomic_store_n(&token->requested, 1, __ATOMIC_RELAXED);
}

bool stk_cancel_requested(const stk_cancel *token)
{
    return token && __atomic_load_n(&token->requested, __ATOMIC_RELAXED);
}

stk_status stk_cancel_check(const stk_cancel *token, const char *component, stk_error *err)
{
    if (!stk_cancel_requested(token)) return STK_OK;
    return stk_fail(err, STK_E_CANCELLED, component, NULL, "stopped on request");
}
