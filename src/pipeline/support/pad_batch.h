/* Elements of different shapes made alike by padding, and put below one another. */
#ifndef STK_PIPELINE_SUPPORT_PAD_BATCH_H
#define STK_PIPELINE_SUPPORT_PAD_BATCH_H

#include <stoker/element.h>

/* Shapes and values of the padding. Both lists have one entry per value, or are NULL. */
typedef struct stk_pad_to {
    const stk_shape *shapes; /* of single elements; -1: the longest in the batch. NULL: all -1 */
    const stk_value *values; /* scalars; one of STK_DTYPE_NONE, and NULL: 0 and "" */
    size_t           count;  /* of both, where there is one */
} stk_pad_to;

/* Copies src of shape from into dst of shape to, which has the same rank and no smaller dimension,
 * row-major, items of item_bytes each; everything else becomes fill. */
void stk_pad_copy(void *dst, const stk_shape *to, const void *src, const stk_shape *from,
                  size_t item_bytes, const void *fill);

/* A padded batch of count (at least 1) elements, with the origin of the first. An element that is
 * larger than a fixed shape is STK_E_DATALOSS naming component and both shapes; other ranks are
 * STK_E_INVALID; other types, padding of another type and values that are not dense STK_E_TYPE. */
STK_NODISCARD stk_status stk_pad_assemble(stk_element **out, stk_element *const *elements,
                                          size_t count, const stk_pad_to *pad,
                                          const char *component, stk_ledger *ledger,
                                          stk_error *err);

#endif
