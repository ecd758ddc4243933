/* What the time of a fused_map is told by: its functions, and the operations of image functions. */
#ifndef STK_PIPELINE_OPERATORS_FUSED_MAP_PARTS_H
#define STK_PIPELINE_OPERATORS_FUSED_MAP_PARTS_H

#include "pipeline/operators/fused_map.h"
#include "pipeline/runtime/run_node.h"

typedef struct stk_fused_map_parts {
    size_t         *first; /* first part of each function; owned */
    stk_part_times *times; /* owned by the counters; NULL: not timed */
} stk_fused_map_parts;

/* Beyond STK_PARTS_MAX parts nothing is timed. On failure there is nothing to release. */
STK_NODISCARD stk_status stk_fused_map_parts_find(stk_fused_map_parts        *out,
                                                  const stk_fused_map_params *params,
                                                  stk_node_counters *counters, stk_error *err);
void                     stk_fused_map_parts_release(stk_fused_map_parts *parts);

/* Times a sample of the items of a piece of work, on the thread that does it. Item indices span the
 * whole run. */
typedef struct stk_fused_map_watch {
    stk_part_times   *times;
    stk_trace_thread *trace; /* NULL: off */
    stk_stage         stage;
    uint64_t          begin, items; /* items: number timed */
    uint64_t          next, every;  /* next: index of the next item to time */
    uint64_t          ticks[STK_PARTS_MAX];
} stk_fused_map_watch;

void stk_fused_map_watch_begin(stk_fused_map_watch *watch, const stk_fused_map_parts *parts,
                               const stk_node *node, uint64_t first, size_t count);
void stk_fused_map_watch_end(stk_fused_map_watch *watch);
/* The timers of the item; NULL: not timed. */
static inline uint64_t *stk_fused_map_watch_item(stk_fused_map_watch *watch, uint64_t number)
{
    if (number != watch->next) return NULL;
    watch->next += watch->every;
    watch->items++;
    return watch->ticks;
}

#endif
