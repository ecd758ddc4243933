/* Putting elements below one another. */
#ifndef STK_PIPELINE_SUPPORT_STACK_H
#define STK_PIPELINE_SUPPORT_STACK_H

#include <stoker/element.h>

/* Where batches lie. */
typedef struct stk_batch_memory {
    stk_ledger          *ledger;
    const stk_allocator *kind; /* NULL: ordinary */
} stk_batch_memory;

/* A batch of count (at least 1) elements with the origin of the first. Elements of other numbers,
 * kinds, types or shapes of values than the first are STK_E_INVALID naming value, element and both
 * shapes. */
STK_NODISCARD stk_status stk_stack(stk_element **out, stk_element *const *elements, size_t count,
                                   const stk_batch_memory *memory, stk_error *err);

/* The same in steps, so that several threads can copy: prepare checks and makes room, copy fills
 * rows [first, first + count). Values of byte strings are complete after prepare. Storage of
 * begun (may be NULL), a batch of as many rows, is used where a value is of its type and shape;
 * rows that lie in their place already are not copied. */
STK_NODISCARD stk_status stk_stack_prepare(stk_element **out, stk_element *const *elements,
                                           size_t count, const stk_element *prepared,
                                           const stk_batch_memory *memory, stk_error *err);
void stk_stack_copy(stk_element *batch, stk_element *const *elements, size_t first, size_t count);

#endif
