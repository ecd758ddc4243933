/* Putting elements below one another. */
#ifndef STK_PIPELINE_ASSEMBLE_H
#define STK_PIPELINE_ASSEMBLE_H

#include <stoker/element.h>

/* A batch of count (at least 1) elements with the origin of the first. Elements of other numbers,
 * kinds, types or shapes of values than the first are STK_E_INVALID naming value, element and both
 * shapes. */
STK_NODISCARD stk_status stk_assemble(stk_element **out, stk_element *const *elements, size_t count,
                                      stk_ledger *ledger, stk_error *err);

/* The same in steps, so that several threads can copy: prepare checks and makes room, copy fills
 * rows [first, first + count). Values of byte strings are complete after prepare. */
STK_NODISCARD stk_status stk_assemble_prepare(stk_element **out, stk_element *const *elements,
                                              size_t count, stk_ledger *ledger, stk_error *err);
void stk_assemble_copy(stk_element *batch, stk_element *const *elements, size_t first,
                       size_t count);

#endif
