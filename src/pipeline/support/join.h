/* Values side by side: what zip and enumerate make of several elements. */
#ifndef STK_PIPELINE_SUPPORT_JOIN_H
#define STK_PIPELINE_SUPPORT_JOIN_H

#include "base/arena.h"

#include <stoker/element.h>

/* The spec of elements joined in that order; not known when one of them is not. A name that only
 * one value has is kept; the others, and names that are numbers, become the value's number. */
STK_NODISCARD stk_status stk_join_specs(stk_element_spec *out, const stk_element_spec *const *specs,
                                        size_t count, stk_arena *arena, stk_error *err);

/* A new element with the values of count (at least 1) elements and the origin of the first. */
STK_NODISCARD stk_status stk_join_elements(stk_element **out, stk_element *const *elements,
                                           size_t count, stk_error *err);

#endif
