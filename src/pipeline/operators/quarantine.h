/* What ends a run although it looks like one element's error. */
#ifndef STK_PIPELINE_OPERATORS_QUARANTINE_H
#define STK_PIPELINE_OPERATORS_QUARANTINE_H

#include "pipeline/operators/operators.h"

/* Stages that pass over errors must pass these on: a request to stop, and a quarantine that found
 * too many bad elements or cannot write one down. It gives its error again and again, and has no
 * other errors than such. */
static inline bool stk_ends_run(stk_status st, const stk_error *err)
{
    return st == STK_E_CANCELLED ||
           (st && err->stage && strcmp(err->stage, stk_operator_quarantine.name) == 0);
}

#endif
