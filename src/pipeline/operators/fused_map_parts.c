/* Parts of a fused_map by their names, and which items are timed. */
#include "pipeline/operators/fused_map_parts.h"

#include "pipeline/functions/image_function.h"

#include <stdio.h>
#include <stdlib.h>

enum { TRACED_EVERY = 4 };

static size_t parts_of(const stk_function *function)
{
    const size_t parts = stk_image_function_parts(function);
    return parts ? parts : 1;
}

static void name_parts(stk_part_time *to, const stk_function *function)
{
    const size_t parts = stk_image_function_parts(function);
    if (!parts) snprintf(to->name, sizeof to->name, "%s", stk_function_info_of(function)->name);
    for (size_t i = 0; i < parts; i++)
        stk_image_function_part(function, i, to[i].name, sizeof to[i].name);
}

static stk_status no_memory(size_t count, stk_error *err)
{
    return stk_fail(err, STK_E_NOMEM, "fused_map", NULL, "no memory for %zu functions", count);
}

stk_status stk_fused_map_parts_find(stk_fused_map_parts *out, const stk_fused_map_params *params,
                                    stk_node_counters *counters, stk_error *err)
{
    size_t count = 0;
    *out = (stk_fused_map_parts){0};
    for (size_t i = 0; i < params->count; i++)
        count += parts_of(params->steps[i].function);
    if (!count || count > STK_PARTS_MAX) return STK_OK;
    out->first = calloc(params->count, sizeof *out->first);
    stk_part_times *times = stk_part_times_new(count);
    if (!out->first || !times) {
        stk_part_times_free(times);
        stk_fused_map_parts_release(out);
        return no_memory(params->count, err);
    }
    size_t at = 0;
    for (size_t i = 0; i < params->count; i++) {
        out->first[i] = at;
        name_parts(&times->list[at], params->steps[i].function);
        at += parts_of(params->steps[i].function);
    }
    out->times = stk_node_counters_keep_parts(counters, times);
    return STK_OK;
}

void stk_fused_map_parts_release(stk_fused_map_parts *parts)
{
    free(parts->first);
    *parts = (stk_fused_map_parts){0};
}

void stk_fused_map_watch_begin(stk_fused_map_watch *watch, const stk_fused_map_parts *parts,
                               const stk_node *node, uint64_t first, size_t count)
{
    watch->times = parts->times;
    watch->items = 0;
    watch->next = UINT64_MAX;
    if (!parts->times) return;
    watch->trace = stk_run_trace(node->run, STK_TRACE_STAGES);
    watch->stage =
        node->plan->traits & STK_OPERATOR_BLOCKING ? STK_STAGE_READ : STK_STAGE_PREPROCESS;
    watch->begin = stk_span_begin(watch->trace);
    watch->every = watch->trace ? TRACED_EVERY : stk_part_times_every(parts->times);
    /* The first item of a piece pays for cold caches: in traces, which time every piece, the second
     * one is timed. */
    watch->next = watch->trace ? first + (count > 1)
                               : (first + watch->every - 1) / watch->every * watch->every;
    memset(watch->ticks, 0, parts->times->count * sizeof *watch->ticks);
}

void stk_fused_map_watch_end(stk_fused_map_watch *watch)
{
    if (!watch->items) return;
    stk_part_times_add(watch->times, watch->ticks, watch->items);
    if (watch->trace)
        stk_part_times_record(watch->times, watch->ticks, watch->trace, watch->stage, watch->begin,
                              stk_trace_now());
}
