/* auto_cache: the operator that the cache pass inserts. */
#ifndef STK_PIPELINE_OPERATORS_AUTO_CACHE_H
#define STK_PIPELINE_OPERATORS_AUTO_CACHE_H

#include "pipeline/operators/operators.h"

extern const stk_operator stk_operator_auto_cache;

/* Over an input of known, finite cardinality with equal elements in every epoch. The result serves
 * one iterator only. */
STK_NODISCARD stk_status stk_auto_cache_make(stk_dataset **out, stk_dataset *input, stk_error *err);

#endif
