/* The parameters of indexed, for the pass that reads elements in parallel. */
#ifndef STK_PIPELINE_OPERATORS_INDEXED_H
#define STK_PIPELINE_OPERATORS_INDEXED_H

#include "pipeline/operators/operators.h"
#include "pipeline/support/user_source.h"

typedef struct stk_indexed_params {
    stk_user_source *source; /* owned by the parameters */
    uint64_t         count;
    bool             blocking;
    stk_status (*read)(void *context, const stk_call *call, uint64_t index, stk_element **out,
                       stk_error *err);
} stk_indexed_params;

/* Reads element index (below count); thread-safe. call->epoch becomes part of its origin. *out is
 * never NULL on success. */
STK_NODISCARD stk_status stk_indexed_read(const stk_indexed_params *params, const stk_call *call,
                                          uint64_t index, stk_element **out, stk_error *err);

#endif
