/* Making one fused_map of two stages, where nobody can tell. */
#ifndef STK_PIPELINE_PASSES_PASS_FUSE_H
#define STK_PIPELINE_PASSES_PASS_FUSE_H

#include "pipeline/plan/operator.h"

/* The functions of an operator. */
typedef struct stk_fusible {
    bool any;   /* it is a fused_map without a batch, or a filter, and none is STATEFUL */
    bool maps;  /* has maps */
    bool tests; /* has predicates */
} stk_fusible;

stk_fusible stk_fusible_of(const stk_dataset *data);

/* upper and its input as one fused_map: *out is NULL when that would show. Both must be fusible. */
STK_NODISCARD stk_status stk_fuse(stk_dataset **out, const stk_dataset *upper, stk_error *err);

#endif
