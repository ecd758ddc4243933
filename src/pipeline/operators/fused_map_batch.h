/* The batches of fused_map: what its queue calls once all elements of a batch are computed. The
 * context is fused_map's node. */
#ifndef STK_PIPELINE_OPERATORS_FUSED_MAP_BATCH_H
#define STK_PIPELINE_OPERATORS_FUSED_MAP_BATCH_H

#include "pipeline/runtime/node_queue.h"

/* The first error of a batch becomes its result. Large batches are left to be copied in parts. */
void stk_fused_map_batch_finish(void *node, stk_work_unit *unit);
void stk_fused_map_batch_copy(void *node, stk_work_unit *unit, size_t part);
void stk_fused_map_batch_seal(void *node, stk_work_unit *unit);

#endif
