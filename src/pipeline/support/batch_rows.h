/* Splits and joins the rows of batches. A row is an index of a value's leading dimension. */
#ifndef STK_PIPELINE_SUPPORT_BATCH_ROWS_H
#define STK_PIPELINE_SUPPORT_BATCH_ROWS_H

#include "base/arena.h"

#include <stoker/element.h>

/* The common leading dimension of all values. A scalar, a value without rows and different
 * dimensions are STK_E_INVALID naming them. */
STK_NODISCARD stk_status stk_rows_count(const stk_element *element, const char *component,
                                        int64_t *rows, stk_error *err);

/* Row index of every value, with the element's origin. Shares storage, except for rows that are
 * ragged. *out is NULL on failure. */
STK_NODISCARD stk_status stk_rows_take(stk_element **out, const stk_element *element, int64_t index,
                                       stk_ledger *ledger, stk_error *err);

/* Rows [first, first + count) as a batch with the element's origin. Dense values share storage,
 * ragged ones are copied. */
STK_NODISCARD stk_status stk_rows_slice(stk_element **out, const stk_element *element,
                                        int64_t first, int64_t count, stk_ledger *ledger,
                                        stk_error *err);

/* Whether both have values of the same kinds and types, and rows of the same shapes. */
bool stk_rows_alike(const stk_element *a, const stk_element *b);
/* Whether shapes are equal except for the leading dimension. */
bool stk_rows_same_shape(const stk_shape *a, const stk_shape *b);

/* Concatenates count (at least 1) batches of dense and ragged values, with the origin of the first.
 * A single one is not copied. Rows of different shapes or types are STK_E_INVALID or STK_E_TYPE
 * naming both. */
STK_NODISCARD stk_status stk_rows_join(stk_element **out, stk_element *const *batches, size_t count,
                                       const char *component, stk_ledger *ledger, stk_error *err);

/* Stacks value v of count (at least 1) elements into a ragged value of levels (at least 1) levels.
 * The values are ragged with one level less, or dense: then their first levels dimensions become
 * ragged. Others are refused as in stk_rows_join. */
STK_NODISCARD stk_status stk_rows_stack(stk_value *out, stk_element *const *elements, size_t count,
                                        size_t v, int levels, const char *component,
                                        stk_ledger *ledger, stk_error *err);

#endif
