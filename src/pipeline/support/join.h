/* Joins the values of several elements, for zip and enumerate. */
#ifndef STK_PIPELINE_SUPPORT_JOIN_H
#define STK_PIPELINE_SUPPORT_JOIN_H

#include "base/arena.h"

#include <stoker/element.h>

/* The spec of the joined elements; unknown if any input is. Unique names are kept; duplicate and
 * numeric names become the value's index. */
STK_NODISCARD stk_status stk_join_specs(stk_element_spec *out, const stk_element_spec *const *specs,
                                        size_t count, stk_arena *arena, stk_error *err);

/* Makes an element of the values of count (at least 1) elements, with the origin of the first. */
STK_NODISCARD stk_status stk_join_elements(stk_element **out, stk_element *const *elements,
                                           size_t count, stk_error *err);

#endif
