/* Values that are more than a dense block: ragged and sparse ones. */
#ifndef STK_PIPELINE_ELEMENT_RAGGED_H
#define STK_PIPELINE_ELEMENT_RAGGED_H

#include <stoker/element.h>

/* A ragged or sparse value of the flat values in dense and of places, all copied into one buffer.
 * RAGGED: count + 1 row splits, which must begin at 0, never fall, and end at dense's leading
 * dimension. SPARSE: count rows of shape's rank, each inside shape; dense has count values. Else
 * STK_E_INVALID. */
STK_NODISCARD stk_status stk_value_with_splits_or_indices(stk_value *out, stk_value_kind kind,
                                                          const stk_value *dense,
                                                          const stk_shape *shape,
                                                          const int64_t *places, int64_t count,
                                                          stk_ledger *ledger, stk_error *err);

/* The same for RAGGED values of any number of levels (1 to STK_MAX_RANK): splits of the first, then
 * of the next. numbers is how many there are. */
STK_NODISCARD stk_status stk_value_ragged(stk_value *out, const stk_value *dense,
                                          const int64_t *splits, size_t numbers, int64_t count,
                                          int levels, stk_ledger *ledger, stk_error *err);

/* How many numbers places holds. */
size_t stk_value_place_count(const stk_value *value);
/* The splits of a level of a ragged value, from 0; *rows is how many rows they part. */
const int64_t *stk_value_splits(const stk_value *value, int level, int64_t *rows);

#endif
