/* Element specs: types and shapes known before the elements exist. */
#ifndef STK_PIPELINE_ELEMENT_SPEC_H
#define STK_PIPELINE_ELEMENT_SPEC_H

#include "base/arena.h"

#include <stoker/blob.h>
#include <stoker/element.h>

/* A deep copy in arena. */
STK_NODISCARD stk_status stk_spec_copy(stk_element_spec *out, const stk_element_spec *spec,
                                       stk_arena *arena, stk_error *err);

/* Copies what value knows of a dataset's elements into arena. */
STK_NODISCARD stk_status stk_spec_own_inner(stk_value_spec *value, stk_arena *arena,
                                            stk_error *err);
/* That both say the same. */
bool stk_spec_equal(const stk_element_spec *a, const stk_element_spec *b);

/* The spec of one element: exact shapes, names "0", "1", ... */
STK_NODISCARD stk_status stk_spec_of_element(stk_element_spec *out, const stk_element *element,
                                             stk_arena *arena, stk_error *err);

/* The most exact spec that covers both. Different numbers, kinds or types of values are STK_E_TYPE
 * naming the value; names are a's. */
STK_NODISCARD stk_status stk_spec_relax(stk_element_spec *out, const stk_element_spec *a,
                                        const stk_element_spec *b, const char *component,
                                        stk_arena *arena, stk_error *err);

/* The same in place with an element's spec; spec is from stk_spec_of_element. */
STK_NODISCARD stk_status stk_spec_relax_to(stk_element_spec *spec, const stk_element *element,
                                           const char *component, stk_error *err);

/* spec with a leading dimension before every dense value (-1: unknown). */
STK_NODISCARD stk_status stk_spec_batched(stk_element_spec *out, const stk_element_spec *spec,
                                          int64_t leading, stk_arena *arena, stk_error *err);

/* The spec of rows of elements of spec; *rows is the leading dimension that is known, or -1. What
 * is known to have no rows, or different ones, is STK_E_INVALID. */
STK_NODISCARD stk_status stk_spec_rows(stk_element_spec *out, const stk_element_spec *spec,
                                       const char *component, int64_t *rows, stk_arena *arena,
                                       stk_error *err);

/* Appends "(image: uint8[32,32,3], label: int64[])". */
STK_NODISCARD stk_status stk_spec_text(const stk_element_spec *spec, stk_blob *out, stk_error *err);

/* Checks that element satisfies spec: else STK_E_TYPE or STK_E_SHAPE naming the value and both
 * sides. */
STK_NODISCARD stk_status stk_spec_check(const stk_element_spec *spec, const stk_element *element,
                                        const char *component, stk_error *err);

#endif
