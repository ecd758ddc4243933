/* The state of functions inside checkpoints. */
#ifndef STK_PIPELINE_RUNTIME_FUNCTION_STATE_H
#define STK_PIPELINE_RUNTIME_FUNCTION_STATE_H

#include "pipeline/runtime/state_bytes.h"

#include <stoker/function.h>

/* Nothing for a function without state. A STATEFUL one that cannot save its state is
 * STK_E_UNSUPPORTED naming it. */
STK_NODISCARD stk_status stk_function_save(const stk_function *function, stk_state_out *out,
                                           stk_error *err);
STK_NODISCARD stk_status stk_function_restore(const stk_function *function, stk_state_in *in,
                                              stk_error *err);

#endif
