/* Which values of a batch are computed straight into it, and by which of fused_map's functions: the
 * last that changes the value, where its type and shape are known beforehand. */
#ifndef STK_PIPELINE_OPERATORS_FUSED_MAP_ROWS_H
#define STK_PIPELINE_OPERATORS_FUSED_MAP_ROWS_H

#include "pipeline/operators/fused_map.h"
#include "pipeline/runtime/node_queue.h"

enum { STK_FUSED_MAP_ROWS_MAX = 8 }; /* values; more are copied */

typedef struct stk_fused_map_row {
    int       value;
    size_t    step; /* the function that may write there */
    stk_dtype dtype;
    stk_shape shape; /* of one element */
    size_t    bytes;
} stk_fused_map_row;

typedef struct stk_fused_map_rows {
    const stk_allocator *kind; /* of the batches' memory; NULL: ordinary */
    size_t               count;
    stk_fused_map_row    rows[STK_FUSED_MAP_ROWS_MAX];
} stk_fused_map_rows;

/* batched: what is known of the batches. kind: of their memory; NULL: ordinary. */
void stk_fused_map_rows_find(stk_fused_map_rows *rows, const stk_fused_map_params *params,
                             const stk_element_spec *batched, const stk_allocator *kind);

/* The batch of unit, with storage for the values that have a room. On failure there is none. */
STK_NODISCARD stk_status stk_fused_map_rows_prepare(const stk_fused_map_rows *rows,
                                                    const stk_element_spec   *batched,
                                                    stk_ledger *ledger, stk_work_unit *unit,
                                                    stk_error *err);

/* The rooms of one item for one step; returns how many were written to out. */
size_t stk_fused_map_rows_of(const stk_fused_map_rows *rows, const stk_work_unit *unit, size_t item,
                             size_t step, stk_output_row out[STK_FUSED_MAP_ROWS_MAX]);

#endif
