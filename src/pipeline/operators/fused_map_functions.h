/* apply's functions on the items of units: one after the other, or many items at once. */
#ifndef STK_PIPELINE_OPERATORS_FUSED_MAP_FUNCTIONS_H
#define STK_PIPELINE_OPERATORS_FUSED_MAP_FUNCTIONS_H

#include "pipeline/operators/fused_map_rows.h"

typedef struct stk_apply_work {
    const stk_apply_params *params;
    const stk_call         *calls; /* one per step; index and rooms are filled in */
    const stk_apply_rooms  *rooms;
    const size_t           *parts; /* of each step: its first in ticks; NULL: not timed */
} stk_apply_work;

/* All steps on one item, which has an element. ticks: each part's time is added; NULL: not timed.
 */
void stk_apply_run(const stk_apply_work *work, stk_unit *unit, size_t number, uint64_t *ticks);

/* Whether a device can help with one of the steps. */
bool stk_apply_can_be_helped(const stk_apply_params *params);
/* All steps on the items of parts that have an element. Adds to *by_device how many the device
 * worked on. The status is the device's: all items are done in any case. */
STK_NODISCARD stk_status stk_apply_run_many(const stk_apply_work    *work,
                                            const stk_decode_device *pictures,
                                            const stk_part *parts, size_t count,
                                            uint64_t *by_device, stk_error *err);

#endif
