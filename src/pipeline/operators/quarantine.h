/* Errors that end a run instead of standing for one element. */
#ifndef STK_PIPELINE_OPERATORS_QUARANTINE_H
#define STK_PIPELINE_OPERATORS_QUARANTINE_H

#include "pipeline/operators/operators.h"

/* Operators that skip errors must forward these: cancellation, and a quarantine that found too many
 * bad elements or cannot write. A quarantine returns only such errors, on every call. */
static inline bool stk_ends_run(stk_status st, const stk_error *err)
{
    return st == STK_E_CANCELLED ||
           (st && err->component && strcmp(err->component, stk_operator_quarantine.name) == 0);
}

#endif
