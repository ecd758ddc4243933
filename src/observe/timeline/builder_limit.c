/* The event limit. When it is reached, the later half of the time is dropped: a complete window of
 * the run is more useful than the threads that come first in the file. */
#include "observe/timeline/builder.h"

#include <stdlib.h>

static size_t event_count(const stk_builder *b)
{
    return b->timeline->events.size / sizeof(stk_timeline_event);
}

static int64_t begin_of(const stk_timeline_event *event)
{
    return (int64_t)event->begin_ns;
}

static void leave_out_from(stk_builder *b, int64_t until)
{
    stk_timeline_event *events = stk_timeline_events(b->timeline);
    size_t              kept = 0;
    for (size_t i = 0; i < event_count(b); i++)
        if (begin_of(&events[i]) < until) events[kept++] = events[i];
    b->timeline->findings.left_out += event_count(b) - kept;
    b->timeline->events.size = kept * sizeof *events;
    b->until_ns = until;
}

/* Halves the time until at most half of the events are left. */
static int64_t choose_time(const stk_builder *b)
{
    const stk_timeline_event *events = stk_timeline_events(b->timeline);
    const size_t              count = event_count(b);
    int64_t                   first = INT64_MAX, last = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        if (begin_of(&events[i]) < first) first = begin_of(&events[i]);
        if (begin_of(&events[i]) > last) last = begin_of(&events[i]);
    }
    while (last > first) {
        size_t early = 0;
        last = first + (last - first) / 2;
        for (size_t i = 0; i < count; i++)
            early += begin_of(&events[i]) < last;
        if (early <= count / 2) break;
    }
    return last > first ? last : first + 1;
}

stk_status stk_builder_add(stk_builder *b, int64_t begin_ns, stk_timeline_event **event,
                           stk_error *err)
{
    stk_blob *events = &b->timeline->events;
    *event = NULL;
    if (event_count(b) >= b->max_events && !b->full) {
        const size_t before = event_count(b);
        leave_out_from(b, choose_time(b));
        b->full = event_count(b) == before;
    }
    if (begin_ns >= b->until_ns || event_count(b) >= b->max_events) {
        b->timeline->findings.left_out++;
        return STK_OK;
    }
    STK_TRY(stk_blob_reserve(events, events->size + sizeof **event, err));
    *event = (stk_timeline_event *)(void *)(events->data + events->size);
    events->size += sizeof **event;
    **event = (stk_timeline_event){.begin_ns = (uint64_t)begin_ns};
    return STK_OK;
}

void stk_builder_trim(stk_builder *b)
{
    const stk_timeline_event *events = stk_timeline_events(b->timeline);
    int64_t                   last = INT64_MIN;
    if (b->until_ns == INT64_MAX) return;
    for (size_t i = 0; i < event_count(b); i++) {
        const int64_t end = begin_of(&events[i]) + (int64_t)events[i].ns;
        if (events[i].kind == STK_TIMELINE_STEP && end <= b->until_ns && end > last) last = end;
    }
    if (last > INT64_MIN) leave_out_from(b, last);
}
