/* Values that are more than a dense block: ragged and sparse ones. */
#ifndef STK_PIPELINE_ELEMENT_RAGGED_H
#define STK_PIPELINE_ELEMENT_RAGGED_H

#include <stoker/element.h>

/* How many numbers places holds. */
size_t stk_value_index_count(const stk_value *value);
/* The splits of a level of a ragged value, from 0; *rows is how many rows they part. */
const int64_t *stk_value_splits(const stk_value *value, int level, int64_t *rows);

#endif
