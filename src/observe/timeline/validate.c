/* Validates a timeline. */
#include "observe/timeline/timeline_internal.h"

enum { DEEPEST = 256 };

/* Each span must end before or with its enclosing one. */
static uint64_t count_crossing(const stk_timeline *t, size_t begin, size_t end)
{
    uint64_t ends[DEEPEST], crossing = 0;
    int      depth = 0;
    for (size_t i = begin; i < end; i++) {
        const stk_timeline_event *e = &stk_timeline_events(t)[i];
        if (e->kind == STK_TIMELINE_COUNTER) continue;
        while (depth > 0 && ends[depth - 1] <= e->begin_ns)
            depth--;
        if (depth > 0 && stk_event_end(e) > ends[depth - 1]) crossing++;
        if (depth < DEEPEST) ends[depth++] = stk_event_end(e);
    }
    return crossing;
}

void stk_timeline_validate(const stk_timeline *timeline, stk_timeline_findings *out)
{
    *out = timeline->findings;
    out->dropped = (uint64_t)timeline->origin.dropped;
    out->ns = timeline->end_ns;
    out->rows = out->devices = out->steps = out->crossing = 0;
    for (uint32_t row = 0; row < stk_timeline_row_count(timeline); row++) {
        const stk_timeline_track *track = &stk_timeline_tracks(timeline)[row];
        size_t                    begin, end;
        if (!track->has_spans) continue;
        out->rows++;
        out->devices += track->row.is_device;
        stk_timeline_row_range(timeline, row, &begin, &end);
        if (!track->is_async) out->crossing += count_crossing(timeline, begin, end);
        for (size_t i = begin; i < end; i++)
            out->steps += stk_timeline_events(timeline)[i].kind == STK_TIMELINE_STEP;
    }
}
