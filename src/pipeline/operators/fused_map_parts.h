/* What the time of a fused_map is told by: its functions, and the operations of image functions. */
#ifndef STK_PIPELINE_OPERATORS_FUSED_MAP_PARTS_H
#define STK_PIPELINE_OPERATORS_FUSED_MAP_PARTS_H

#include "pipeline/operators/fused_map.h"
#include "pipeline/runtime/run_node.h"

typedef struct stk_fused_map_parts {
    size_t         *first; /* of each step: its first part; owned */
    stk_part_times *times; /* the account's; NULL: not timed */
} stk_fused_map_parts;

/* More parts than STK_PARTS_MAX are not timed. On failure there is nothing to release. */
STK_NODISCARD stk_status stk_fused_map_parts_find(stk_fused_map_parts        *out,
                                                  const stk_fused_map_params *params,
                                                  stk_node_counters *counters, stk_error *err);
void                     stk_fused_map_parts_release(stk_fused_map_parts *parts);

/* Watches some items of a piece of work, on the thread that does it. Items are numbered over the
 * whole run. */
typedef struct stk_fused_map_watch {
    stk_part_times   *times;
    stk_trace_thread *trace; /* NULL: nothing is recorded */
    stk_stage         stage;
    uint64_t          begin, items; /* items: that were timed */
    uint64_t          next, every;  /* next: the number of the item that is timed next */
    uint64_t          ticks[STK_PARTS_MAX];
} stk_fused_map_watch;

void stk_fused_map_watch_begin(stk_fused_map_watch *watch, const stk_fused_map_parts *parts,
                               const stk_node *node, uint64_t first, size_t count);
void stk_fused_map_watch_end(stk_fused_map_watch *watch);
/* Where to time the item; NULL: it is not. */
static inline uint64_t *stk_fused_map_watch_item(stk_fused_map_watch *watch, uint64_t number)
{
    if (number != watch->next) return NULL;
    watch->next += watch->every;
    watch->items++;
    return watch->ticks;
}

#endif
