/* fused_map's functions on the items of units: one after the other, or many items at once. */
#ifndef STK_PIPELINE_OPERATORS_FUSED_MAP_FUNCTIONS_H
#define STK_PIPELINE_OPERATORS_FUSED_MAP_FUNCTIONS_H

#include "pipeline/operators/fused_map_rows.h"

typedef struct stk_fused_map_work {
    const stk_fused_map_params *params;
    const stk_call             *calls; /* one per function; index and output rows are filled in */
    const stk_fused_map_rows   *rows;
    const size_t               *parts; /* first part of each function in ticks; NULL: not timed */
} stk_fused_map_work;

/* Runs all functions on one item, which has an element. Adds each part's time to ticks; NULL: not
 * timed. */
void stk_fused_map_run(const stk_fused_map_work *work, stk_work_unit *unit, size_t number,
                       uint64_t *ticks);

/* Whether a device supports one of the functions. */
bool stk_fused_map_can_offload(const stk_fused_map_params *params);
/* Runs all functions on the items of the slices that have an element. Adds the number of items
 * decoded by the device to *by_device. The returned status is the device's: all items are done in
 * any case. */
STK_NODISCARD stk_status stk_fused_map_run_many(const stk_fused_map_work *work,
                                                const stk_decode_device  *images,
                                                const stk_unit_slice *parts, size_t count,
                                                uint64_t *device_items, stk_error *err);

#endif
