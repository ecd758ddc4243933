/* Ragged and sparse values. */
#ifndef STK_PIPELINE_ELEMENT_RAGGED_H
#define STK_PIPELINE_ELEMENT_RAGGED_H

#include <stoker/element.h>

/* Number of entries of splits_or_indices. */
size_t stk_value_index_count(const stk_value *value);
/* The splits of a level of a ragged value; *rows is the number of its rows. Borrowed from value. */
const int64_t *stk_value_splits(const stk_value *value, int level, int64_t *rows);

#endif
