/* Stacks elements into a batch. */
#ifndef STK_PIPELINE_SUPPORT_STACK_H
#define STK_PIPELINE_SUPPORT_STACK_H

#include <stoker/element.h>

/* Memory of batches. */
typedef struct stk_batch_memory {
    stk_ledger          *ledger;
    const stk_allocator *kind; /* NULL: ordinary */
} stk_batch_memory;

/* Stacks count (at least 1) elements, with the origin of the first. Elements that differ from the
 * first in number, kinds, types or shapes of values are STK_E_INVALID naming value, element and
 * both shapes. */
STK_NODISCARD stk_status stk_stack(stk_element **out, stk_element *const *elements, size_t count,
                                   const stk_batch_memory *memory, stk_error *err);

/* The same in two phases for parallel copies: prepare checks and allocates, copy fills rows [first,
 * first + count). Byte strings are complete after prepare. Storage of prepared (may be NULL), a
 * batch of as many rows, is used where type and shape match; rows already in place are not copied.
 */
STK_NODISCARD stk_status stk_stack_prepare(stk_element **out, stk_element *const *elements,
                                           size_t count, const stk_element *prepared,
                                           const stk_batch_memory *memory, stk_error *err);
void stk_stack_copy(stk_element *batch, stk_element *const *elements, size_t first, size_t count);

#endif
