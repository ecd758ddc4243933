/* Values computed straight into the output batch, and the function that does: the last that changes
 * the value, if type and shape are known beforehand. */
#ifndef STK_PIPELINE_OPERATORS_FUSED_MAP_ROWS_H
#define STK_PIPELINE_OPERATORS_FUSED_MAP_ROWS_H

#include "pipeline/operators/fused_map.h"
#include "pipeline/runtime/node_queue.h"

enum { STK_FUSED_MAP_ROWS_MAX = 8 }; /* values; further ones are copied */

typedef struct stk_fused_map_row {
    int       value;
    size_t    step; /* index of the function that may write it */
    stk_dtype dtype;
    stk_shape shape; /* of one element */
    size_t    bytes;
} stk_fused_map_row;

typedef struct stk_fused_map_rows {
    const stk_allocator *kind; /* allocator of the batches; NULL: ordinary */
    size_t               count;
    stk_fused_map_row    rows[STK_FUSED_MAP_ROWS_MAX];
} stk_fused_map_rows;

/* batched: the spec of the batches. kind: their allocator; NULL: ordinary. */
void stk_fused_map_rows_find(stk_fused_map_rows *rows, const stk_fused_map_params *params,
                             const stk_element_spec *batched, const stk_allocator *kind);

/* Allocates the batch of unit, with storage for these values. On failure there is none. */
STK_NODISCARD stk_status stk_fused_map_rows_prepare(const stk_fused_map_rows *rows,
                                                    const stk_element_spec   *batched,
                                                    stk_ledger *ledger, stk_work_unit *unit,
                                                    stk_error *err);

/* Writes the output rows of one item for one function to out; returns how many. */
size_t stk_fused_map_rows_of(const stk_fused_map_rows *rows, const stk_work_unit *unit, size_t item,
                             size_t step, stk_output_row out[STK_FUSED_MAP_ROWS_MAX]);

#endif
